import { Component, lazy, type ReactNode, Suspense } from 'react'
import { Link, Route, Switch } from 'wouter'
import { Empty, Screen, Skeleton } from '../parts/parts.tsx'

/** Screens by noun. Each group is a chunk of its own, loaded when it is first opened. */
const groups = [
  [/^\/$/, lazy(() => import('./overview/index.tsx'))],
  [/^\/transactions(\/|$)/, lazy(() => import('./transactions/index.tsx'))],
  [/^\/statements$/, lazy(() => import('./statements/index.tsx'))],
  [/^\/collections(\/|$)/, lazy(() => import('./collections/index.tsx'))],
  [/^\/(routes|swaps|offramps|onramps|cngn|objects)(\/|$)/, lazy(() => import('./payments/index.tsx'))],
  [/^\/customers(\/|$)/, lazy(() => import('./customers/index.tsx'))],
  [/^\/(keys|webhooks)(\/|$)/, lazy(() => import('./developers/index.tsx'))],
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

/** There is no such address. */
function Nowhere() {
  return (
    <Screen title="Not found">
      <Empty title="There is nothing at this address">
        <p>
          <Link href="/">Go to the overview</Link>
        </p>
      </Empty>
    </Screen>
  )
}

/** A chunk that cannot be loaded belongs to an earlier version, or the network is gone: both end with a reload. */
class Loaded extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError = () => ({ failed: true })

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <Empty title="This screen could not be loaded">
        <p>The service was updated, or cannot be reached.</p>
        <button type="button" className="primary" onClick={() => location.reload()}>
          Reload the page
        </button>
      </Empty>
    )
  }
}
