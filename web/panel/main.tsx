import './base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { keepFocus } from './kept-focus.js';
import { LanguageProvider } from './language.js';
import { queryClient } from './queries.js';
import { RetryNotice } from './retry-notice.js';
import { router } from './router.js';
import { applyRememberedTheme } from './theme.js';

applyRememberedTheme();
keepFocus();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <LanguageProvider>
        <RouterProvider router={router} />
        <RetryNotice />
      </LanguageProvider>
    </QueryClientProvider>
  </StrictMode>,
);
