// First of all: it takes the token of a link out of the address.
import './data/token.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { leaveKeysToInputMethods } from './app/composing.ts';
import { language } from './language.ts';
import { beginTheme } from './theme.ts';

beginTheme();
leaveKeysToInputMethods();

document.documentElement.lang = language;
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
