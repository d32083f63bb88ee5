import { Suspense } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { chunk, Loaded, Nowhere } from '../parts/frame/loaded.tsx'
import { Skeleton } from '../parts/parts.tsx'

/** Screens by noun. Each group is a chunk of its own, loaded when it is first opened. */
const groups = [
  [/^\/$/, chunk(() => import('./overview/index.tsx'))],
  [/^\/search$/, chunk(() => import('./overview/search.tsx'))],
  [/^\/inbox$/, chunk(() => import('./overview/inbox.tsx'))],
  [/^\/transactions(\/|$)/, chunk(() => import('./transactions/index.tsx'))],
  [/^\/statements$/, chunk(() => import('./statements/index.tsx'))],
  [/^\/collections(\/|$)/, chunk(() => import('./collections/index.tsx'))],
  [/^\/(routes|swaps|offramps|onramps|cngn|objects)(\/|$)/, chunk(() => import('./payments/index.tsx'))],
  [/^\/customers(\/|$)/, chunk(() => import('./customers/index.tsx'))],
  [/^\/(keys|cli|webhooks|events|requests)(\/|$)/, chunk(() => import('./developers/index.tsx'))],
  [/^\/(account|settings)(\/|$)/, chunk(() => import('./settings/index.tsx'))],
] as const

/** Begins to load the screen of an address, so that it comes while the service is asked who is signed in. */
export const preload = (address: string): void => groups.find(([path]) => path.test(address))?.[1].preload()

/** The screen at the address. */
export function Screens() {
  const [location] = useLocation()
  return (
    <Loaded at={location}>
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
