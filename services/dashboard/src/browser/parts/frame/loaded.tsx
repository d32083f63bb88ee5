import { Component, type ComponentType, lazy, type ReactNode, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { Empty, Screen } from '../parts.tsx'

/** There is no such address. */
export function Nowhere() {
  return (
    <Screen title="Not found">
      <Empty title="There is nothing at this address">
        <p>
          <Link href="/">Go to Overview</Link>
        </p>
      </Empty>
    </Screen>
  )
}

/** The chunk of a screen that did not arrive: it belongs to another version, or the service cannot be reached. */
class ChunkError extends Error {
  override name = 'ChunkError'
  /** Loads it once more; rejects where it does not come again. */
  readonly again: () => Promise<unknown>

  constructor(cause: unknown, again: () => Promise<unknown>) {
    super('The chunk did not arrive', { cause })
    this.again = again
  }
}

/**
 * Screens in a chunk of their own, loaded when they are first opened, or before by `preload`. A chunk that is there already is drawn at once: React
 * shows what `lazy` waits for 300 ms later than it comes, so that a page does not flicker.
 */
export function chunk(load: () => Promise<{ default: ComponentType }>) {
  let loaded: ComponentType | undefined
  const read = async () => {
    const module = await load()
    loaded = module.default
    return module
  }
  const Later = lazy(() =>
    read().catch((error: unknown) => {
      throw new ChunkError(error, read)
    }),
  )
  function Chunk() {
    const [Shown] = useState(() => loaded ?? Later)
    return <Shown />
  }
  /** Begins to load it. Where it does not come, its screen says so once it is opened. */
  const preload = () => void read().catch(() => undefined)
  return Object.assign(Chunk, { preload })
}

type State = { readonly error: unknown; readonly at: string }

/** What is at an address, or why it cannot be shown. Another address begins anew. */
export class Loaded extends Component<{ at: string; children: ReactNode }, State> {
  override state: State = { error: undefined, at: this.props.at }

  readonly drawAgain = (): void => this.setState({ error: undefined })

  static getDerivedStateFromError = (error: unknown) => ({ error })

  static getDerivedStateFromProps = ({ at }: { at: string }, state: State) =>
    at === state.at ? null : { error: undefined, at }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <Screen title="This screen could not be loaded">
        {error instanceof ChunkError ? (
          <ChunkMissing again={error.again} onLoaded={this.drawAgain} />
        ) : (
          <Reload>
            The screen failed while it was drawn. If it happens again, contact the operators of this service.
          </Reload>
        )}
      </Screen>
    )
  }
}

function Reload({ children }: { children: ReactNode }) {
  return (
    <div className="failure" role="alert">
      <p>{children}</p>
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </div>
  )
}

/** The service is asked this often whether it is back, ms. */
const AGAIN_MS = 3000

const isReachable = async (): Promise<boolean> =>
  (await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined))?.ok ?? false

/**
 * Draws the screen when its chunk comes after all, which may have been lost with a connection. Where the service was out of reach and only the chunk still
 * fails, some browsers keep the failure for as long as the page lives: the page is reloaded. Where it was not, the service has
 * another version, and a reload that nobody asked for could go on for ever.
 */
function ChunkMissing({ again, onLoaded }: { again: () => Promise<unknown>; onLoaded: () => void }) {
  const [isUnreachable, setUnreachable] = useState<boolean>()
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async () => {
      const reachable = await isReachable()
      const isLoaded = reachable && (await again().catch(() => undefined)) !== undefined
      if (isOver) return
      if (isLoaded) return onLoaded()
      if (!reachable) timer = setTimeout(setAsked, AGAIN_MS, asked + 1)
      else if (asked > 0) location.reload()
      setUnreachable(!reachable)
    }
    void ask()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [asked, again, onLoaded])
  if (isUnreachable === undefined) return null
  if (!isUnreachable) return <Reload>The service may have been updated since this page was loaded.</Reload>
  return (
    <div className="failure" role="alert">
      <p>
        <strong>The service cannot be reached</strong>
      </p>
      <p>Check your connection. The screen is loaded by itself once the service is back.</p>
      <button type="button" onClick={() => setAsked(asked + 1)}>
        Try again
      </button>
    </div>
  )
}
