import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { Loaded, Nowhere } from '../parts/frame/loaded.tsx'
import { Skeleton } from '../parts/parts.tsx'

/** Screens by noun. Each group is a chunk of its own, loaded when it is first opened. */
const groups = [
  [/^\/$/, lazy(() => import('./overview/index.tsx'))],
  [/^\/transactions(\/|$)/, lazy(() => import('./transactions/index.tsx'))],
  [/^\/statements$/, lazy(() => import('./statements/index.tsx'))],
  [/^\/collections(\/|$)/, lazy(() => import('./collections/index.tsx'))],
  [/^\/(routes|swaps|offramps|onramps|cngn|objects)(\/|$)/, lazy(() => import('./payments/index.tsx'))],
  [/^\/customers(\/|$)/, lazy(() => import('./customers/index.tsx'))],
  [/^\/(keys|cli|webhooks|events|requests)(\/|$)/, lazy(() => import('./developers/index.tsx'))],
  [/^\/(account|settings)(\/|$)/, lazy(() => import('./settings/index.tsx'))],
] as const

/** The screen at the address. */
export function Screens() {
  return (
    <Loaded>
      <Suspense fallback={<Skeleton lines={6} />}>
        <Switch>
          {groups.map(([path, Group]) => (
            <Route key={path.source} path={path} component={Group} />
          ))}
          <Route component={Nowhere} />
        </Switch>
      </Suspense>
    </Loaded>
  )
}
