import { Component, type ReactNode } from 'react'
import { Link } from 'wouter'
import { Empty, Screen } from '../parts.tsx'

/** There is no such address. */
export function Nowhere() {
  return (
    <Screen title="Not found">
      <Empty title="There is nothing at this address">
        <p>
          <Link href="/">Go to the first screen</Link>
        </p>
      </Empty>
    </Screen>
  )
}

/** A chunk that cannot be loaded belongs to an earlier version, or the network is gone: both end with a reload. */
export class Loaded extends Component<{ children: ReactNode }, { failed: boolean }> {
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
