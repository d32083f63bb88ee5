import './style.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api.ts'
import { App } from './app.tsx'
import { keepFocus } from './parts/frame/focus.ts'
import { Skeleton } from './parts/parts.tsx'

/** The operators' console is a chunk of its own: merchants never load it. */
const Console = lazy(() => import('./console/index.tsx'))
const isConsole = /^\/console(\/|$)/.test(location.pathname)

const app = document.getElementById('app')
if (!app) throw new Error('The page has no place for the dashboard')
keepFocus()
createRoot(app).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      {isConsole ? (
        <Suspense fallback={<Skeleton />}>
          <Console />
        </Suspense>
      ) : (
        <App />
      )}
    </QueryClientProvider>
  </StrictMode>,
)
