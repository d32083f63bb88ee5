import { type Environment, environments, type Port, type Provider, type Tenant } from '@payments/kernel'
import type { Runtime } from '../../operations/context/context.ts'
import { earliest } from '../../work/due.ts'
import { slotsTask, type Task } from '../../work/tasks.ts'
import { aboutObject } from '../calls.ts'

/** Polls that one process makes at the same time. */
const SLOTS = 8

/** How a domain polls its providers: what is due, and one poll. */
export interface Polls<P extends Provider, C extends Partial<Tenant> & { readonly id: string }> {
  /** Name of the task. */
  readonly name: string
  /** As of the task. */
  readonly because: Task['because']
  readonly port: Port<P>
  /** What a log line calls an object that could not be polled. */
  readonly object: string
  /** SQL: when the next object of a provider is due; null: none is. */
  due(environment: Environment, provider: NoInfer<P>): string
  /** Takes due objects of one provider, at most `limit` and as many as its rate budget allows now: none while it asks for a pause. */
  claim(runtime: Runtime, environment: Environment, provider: P, limit: number): Promise<readonly C[]>
  /** Polls one object. One that fails is not repeated: it is due again soon. */
  poll(runtime: Runtime, claimed: C): Promise<unknown>
}

/** Claims due objects of every provider that is in use, at most `room` of them; the first to claim changes, so that none takes all room. */
export async function claimPolls<P extends Provider, C extends Partial<Tenant> & { readonly id: string }>(
  runtime: Runtime,
  { port, claim }: Pick<Polls<P, C>, 'port' | 'claim'>,
  room: number,
): Promise<readonly C[]> {
  const inUse = await Promise.all(
    environments.map(async (environment) =>
      (await runtime.providers.inUse(port, environment)).map((provider) => ({ provider, environment })),
    ),
  )
  const all = inUse.flat()
  const start = Math.floor(Math.random() * all.length)
  const claimed: C[] = []
  for (const { provider, environment } of [...all.slice(start), ...all.slice(0, start)]) {
    const left = room - claimed.length
    if (left <= 0) break
    claimed.push(...(await claim(runtime, environment, provider, left)))
  }
  return claimed
}

/** The providers of a port in each environment: those whose objects a process may have to poll. */
export const boundTo = <P extends Provider>(
  { providers }: Pick<Runtime, 'providers'>,
  port: Port<P>,
): readonly { readonly environment: Environment; readonly provider: P }[] =>
  environments.flatMap((environment) =>
    providers.bound(port, environment).map((provider) => ({ environment, provider })),
  )

/** SQL: when the next object of any provider is due. One that is switched off is asked for all the same: nothing of it is claimed. */
const dueOf =
  <P extends Provider, C extends Partial<Tenant> & { readonly id: string }>({ port, due }: Polls<P, C>) =>
  (runtime: Runtime): string =>
    earliest(boundTo(runtime, port).map(({ environment, provider }) => due(environment, provider)))

/**
 * The task that polls what is due, in every worker at once: it keeps the slots of each process filled. A claim costs more than most polls, so while
 * more may be due the process claims again only when half of its slots are free; a trigger claims for those that are.
 */
export const pollTask = <P extends Provider, C extends Partial<Tenant> & { readonly id: string }>(
  polls: Polls<P, C>,
): Task =>
  slotsTask({ ...polls, due: dueOf(polls) }, (runtime) => {
    const inFlight = new Set<Promise<void>>()
    let claims: Promise<void> = Promise.resolve()
    let stopping = false
    /** A claim is under way, or the last one found nothing. */
    let waits = false

    async function claim(): Promise<void> {
      const room = SLOTS - inFlight.size
      if (room <= 0 || stopping) return
      waits = true
      const claimed = await claimPolls(runtime, polls, room)
      waits = claimed.length === 0
      for (const each of claimed) start(each)
    }

    /** One claim at a time: another would find the same objects locked. */
    function fill(): Promise<void> {
      const claiming = claims.then(claim)
      claims = claiming.catch(() => undefined)
      return claiming
    }

    function start(claimed: C): void {
      const failed = (error: unknown): void => {
        if (!runtime.database.report(error)) runtime.log.warn({ err: error, [polls.object]: claimed.id }, 'poll failed')
      }
      const polling = aboutObject(claimed, () => polls.poll(runtime, claimed))
        .then(() => undefined, failed)
        .finally(() => {
          inFlight.delete(polling)
          if (!waits && !stopping && inFlight.size <= SLOTS / 2) fill().catch(claimFailed)
        })
      inFlight.add(polling)
    }

    function claimFailed(error: unknown): void {
      if (!runtime.database.report(error)) runtime.log.error({ task: polls.name, err: error }, 'claim failed')
    }

    return {
      fill,
      async stop() {
        stopping = true
        await claims
        await Promise.all(inFlight)
      },
    }
  })
