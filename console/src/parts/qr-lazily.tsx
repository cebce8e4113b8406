import { lazily } from './lazily.tsx';

export const QrCode = lazily(async () => (await import('./qr.tsx')).QrCode, <span className="qr" />);
export const QrDialog = lazily(async () => (await import('./qr.tsx')).QrDialog, null);
