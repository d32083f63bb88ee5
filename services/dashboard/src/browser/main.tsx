import 'virtual:tokens.css'
import './style.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api.ts'
import { App } from './app.tsx'
import { recoverReads } from './live/recovery.ts'
import { keepFocus } from './parts/frame/focus.ts'
import { chunk, Loaded } from './parts/frame/loaded.tsx'
import { Skeleton } from './parts/parts.tsx'
import { preload } from './screens/index.tsx'

/** The operators' console is a chunk of its own: merchants never load it. */
const Console = chunk(() => import('./console/index.tsx'))
const isConsole = /^\/console(\/|$)/.test(location.pathname)

const app = document.getElementById('app')
if (!app) throw new Error('The page has no place for the dashboard')
keepFocus()
recoverReads(queries)
if (!isConsole) preload(location.pathname.replace(/^\/dashboard(\/(test|live))?/, '') || '/')
createRoot(app).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      {isConsole ? (
        <Loaded at="/console">
          <Suspense fallback={<Skeleton />}>
            <Console />
          </Suspense>
        </Loaded>
      ) : (
        <App />
      )}
    </QueryClientProvider>
  </StrictMode>,
)
