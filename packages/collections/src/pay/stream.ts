import { addressBlock, type CallContext, type QueryContext, type Runtime } from '@payments/platform'
import { errors } from '../errors.ts'
import { collectionsSettings } from '../settings.ts'
import { PageWatch, type WatchedPage } from './watch.ts'

/** What the event streams of a process share: the watch, and the number of streams of each client address. */
interface Streams {
  readonly watch: PageWatch
  readonly byAddress: Map<string, number>
}

const streams = new WeakMap<Runtime, Streams>()

function streamsOf(runtime: Runtime): Streams {
  const own = streams.get(runtime) ?? { watch: new PageWatch(runtime), byAddress: new Map() }
  streams.set(runtime, own)
  return own
}

/**
 * The states of a pay page as server-sent events: the present one, then each change. The id of an event is the version of the
 * page: a client that has the present version already, by `Last-Event-ID`, gets the next change only.
 * @throws collection_not_found 404, payments_unavailable 403, too_many_streams 429
 */
export async function* pageEvents(
  { runtime, actor }: QueryContext,
  id: string,
  signal: AbortSignal,
  { ip = '', lastEventId }: Pick<CallContext, 'ip' | 'lastEventId'>,
): AsyncGenerator<string> {
  const { watch, byAddress } = streamsOf(runtime)
  const address = addressBlock(ip)
  const count = byAddress.get(address) ?? 0
  if (count >= collectionsSettings.from(runtime.settings).PAY_STREAMS_PER_ADDRESS)
    throw errors.too_many_streams({ retryAfter: 30 })
  byAddress.set(address, count + 1)
  try {
    const first = await watch.enter(id)
    try {
      if (actor.kind === 'key' && !isOwn(actor, first)) throw errors.collection_not_found()
      yield* changesOf(() => watch.current(id), signal, lastEventId)
    } finally {
      watch.leave(id)
    }
  } finally {
    const left = (byAddress.get(address) ?? 1) - 1
    if (left > 0) byAddress.set(address, left)
    else byAddress.delete(address)
  }
}

/** The data of a page with the service's present time: it was read before, for the first of its watchers. */
const atPresent = (text: string): string => `${text.slice(0, -1)},"serverTime":"${new Date().toISOString()}"}`

const isOwn = (actor: QueryContext['actor'], page: WatchedPage): boolean =>
  actor.organisationId === page.organisationId && actor.environment === page.environment

async function* changesOf(
  current: () => WatchedPage | undefined,
  signal: AbortSignal,
  lastEventId: string | undefined,
): AsyncGenerator<string> {
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  let sent = lastEventId
  yield 'retry: 2000\n\n'
  while (!signal.aborted) {
    const page = current()
    // A page that can no longer be shown ends its streams: the client asks again and gets the reason.
    if (page?.text === undefined) return
    if (page.version === sent) yield 'event: ping\ndata:\n\n'
    else yield `id: ${page.version}\nevent: page\ndata: ${atPresent(page.text)}\n\n`
    sent = page.version
    await Promise.race([page.next, aborted])
  }
}
