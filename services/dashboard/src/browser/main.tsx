import './style.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api.ts'
import { App } from './app.tsx'

const app = document.getElementById('app')
if (!app) throw new Error('The page has no place for the dashboard')
createRoot(app).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
