/** A channel to the other tabs of the site; to none if the browser blocks channels. */
export interface Channel<Message> {
  send(message: Message): void;
  close(): void;
}

export function openChannel<Message>(
  name: string,
  onMessage: (message: Message) => void = () => undefined,
): Channel<Message> {
  try {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }: MessageEvent<Message>) => onMessage(data);
    return { send: (message) => channel.postMessage(message), close: () => channel.close() };
  } catch {
    return { send: () => undefined, close: () => undefined };
  }
}
