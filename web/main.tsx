import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import './styles/index.css';

const page = document.getElementById('page');
if (page !== null)
  createRoot(page).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
