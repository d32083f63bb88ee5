import { errors, newId, ServiceError } from '@payments/kernel'
import {
  asBusy,
  type CallContext,
  type ConcurrencyLimit,
  concurrencyLimit,
  constraintOf,
  contextOf,
  findStoredReply,
  type IdempotencyKey,
  InvalidInput,
  isDatabaseUnavailable,
  LastStatementEmpty,
  leases,
  nameOf,
  type Operation,
  onceOf,
  platformSettings,
  type Reply,
  type Runtime,
  releaseLease,
  replyTo,
  runUnit,
  storeReply,
  UnreadableInput,
} from '@payments/platform'
import type { z } from 'zod'

const POLL_MS = 100
/** The part of the connections that one organisation can use while others do not: the rest is free when one of them comes. */
const SHARED = 0.75

/** The idempotency key of a request; whose it is says its actor. */
type RequestKey = Omit<IdempotencyKey, 'actor'>

/** What executing an operation returned. */
export interface Executed {
  /** The result: a value, or an async iterable if the operation streams its reply. Undefined where an earlier reply is replayed. */
  readonly data: unknown
  /** With an idempotency key: the stored reply. `replayed`: that of an earlier request. */
  readonly reply?: Reply & { readonly replayed: boolean }
}

export interface Executor {
  /** The bound of each organisation, under which this executor runs operations; for work that bypasses it. */
  readonly limit: ConcurrencyLimit
  /** Runs an operation with input that fits its schema, as tRPC's procedures have checked it, and returns its result. */
  run(operation: Operation, call: CallContext, input: unknown): Promise<unknown>
  /**
   * Checks the input of a request and runs the operation. With a key, a command runs once: its reply is stored in its own transaction.
   * Duplicates in this process wait for the first request and hold no connection. Between processes the primary key of
   * the stored replies decides: the second request to commit is rolled back and replays the first one's reply. A request
   * that fails stores nothing.
   * @param input what the request sent, or an {@link UnreadableInput}
   * @throws ServiceError 409 when the first request with the key is still running after the wait limit.
   */
  execute(operation: Operation, call: CallContext, input: unknown, key?: RequestKey): Promise<Executed>
}

type Keyed = Required<Executed>

/** Results of operations whose data never changes, as callers get them. */
const checked = new WeakMap<object, object>()

/** Runs all operations of this process, for the REST façade, tRPC and in-process callers. */
export function createExecutor(runtime: Runtime): Executor {
  const settings = platformSettings.from(runtime.settings)
  const inFlight = new Map<string, Promise<Keyed | undefined>>()
  const lease = leases(runtime)
  const queue = { waiting: settings.ORGANISATION_WAITING, waitSeconds: settings.DATABASE_ACQUIRE_SECONDS }
  const limit = concurrencyLimit({
    running: Math.min(settings.ORGANISATION_CONCURRENCY, settings.DATABASE_POOL - 1),
    shared: Math.floor(SHARED * settings.DATABASE_POOL),
    ...queue,
  })
  const scans = concurrencyLimit({ running: 1, shared: 0, pauses: true, ...queue })

  /** Runs work in a place of its organisation. What scans waits for the scan before it, and takes no place meanwhile. */
  const placed = <T>({ meta }: Operation, { actor }: CallContext, work: () => Promise<T>): Promise<T> =>
    meta.scans ? scans.run(actor, () => limit.run(actor, work)) : limit.run(actor, work)

  /** Runs an operation without a key. */
  async function runOnce(operation: Operation, call: CallContext, input: unknown): Promise<unknown> {
    if (operation.command) return (await runCommand(operation, call, input)).data
    const context = contextOf(operation, call)
    if (operation.download)
      return operation.download.stream(context, input as never, call.signal ?? new AbortController().signal, call)
    if (operation.completeList) {
      const { rows, total } = await operation.completeList.newest(context)
      return operation.output.parse({ [operation.completeList.name]: rows, total })
    }
    const result = await operation.query?.(context, input as never, call)
    const parse = () => operation.output.parse(result) as object
    return operation.meta.unchanging ? onceOf(checked, result as object, parse) : parse()
  }

  /**
   * Runs a command in one unit of work. With a key, the unit's last statement stores the reply; a read whose filters are in a body is run in the
   * same way then, because every request that is not a GET has one (specification, Authentication, 8). Where a standby may serve it, it is run
   * before the unit, which then only stores the reply.
   */
  async function runCommand(
    operation: Operation,
    call: CallContext,
    input: unknown,
    keyed?: { readonly key: IdempotencyKey; readonly fence: string },
  ): Promise<Executed> {
    const { command, query, output, meta } = operation
    const context = contextOf(operation, call)
    const prepared = await command?.before?.(context, input as never, call)
    const found = context.standby && (await query?.(context, input as never, call))
    try {
      return await runUnit(context, async (unit) => {
        const result = command
          ? command.run(unit, input as never, prepared as never, call)
          : (found ?? query?.(unit, input as never, call))
        const data = output.parse(await result)
        if (!keyed) return { data }
        const reply = replyTo(meta, input, data)
        const options = { retentionHours: settings.IDEMPOTENCY_RETENTION_HOURS, encrypt: meta.secretReply }
        const last = storeReply(runtime, keyed.key, keyed.fence, reply, options)
        return { data, reply: { ...reply, replayed: false }, last }
      })
    } catch (error) {
      const constraint = error instanceof ServiceError ? undefined : constraintOf(error)
      const row = constraint && meta.errors.find((each) => each.constraint === constraint)
      throw row ? row({ cause: error }) : error
    }
  }

  /** Runs the first of the requests of this process with a key. */
  async function runFirst(
    operation: Operation,
    call: CallContext,
    input: unknown,
    key: IdempotencyKey,
    deadline: number,
  ): Promise<Keyed> {
    const fence = newId()
    let leased = false
    try {
      const parsed = parse(operation, input)
      while (operation.meta.callsProvider) {
        if (await lease(key, fence)) {
          leased = true
          break
        }
        const stored = await findStoredReply(runtime, key)
        if (stored) return replayOf(stored)
        if (Date.now() >= deadline) throw inProgress()
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
      return (await runCommand(operation, call, parsed, { key, fence })) as Keyed
    } catch (error) {
      if (leased)
        await releaseLease(runtime, key, fence).catch((cause: unknown) =>
          runtime.log.warn({ err: cause }, 'lease release failed'),
        )
      // What is stored may be lost with this server: it is not acknowledged.
      const unreplicated = error instanceof ServiceError && error.code === 'busy'
      if (unreplicated || isDatabaseUnavailable(error)) throw error
      // A duplicate may have succeeded in another process; this error is then a consequence of its success.
      const stored = await findStoredReply(runtime, key)
      if (stored) return replayOf(stored)
      throw error instanceof LastStatementEmpty ? inProgress() : asBusy(error)
    }
  }

  async function executeKeyed(
    operation: Operation,
    call: CallContext,
    input: unknown,
    key: IdempotencyKey,
  ): Promise<Keyed> {
    const name = nameOf(key)
    const deadline = Date.now() + settings.IDEMPOTENCY_WAIT_SECONDS * 1000
    for (;;) {
      const first = inFlight.get(name)
      if (!first) break
      const done = await Promise.race([first, timeout(deadline)])
      if (done === 'timeout') throw inProgress()
      if (done) return replayOf(done.reply)
    }
    const own = placed(operation, call, () => runFirst(operation, call, input, key, deadline))
    inFlight.set(
      name,
      own.catch(() => undefined),
    )
    try {
      return await own
    } finally {
      inFlight.delete(name)
    }
  }

  /** What waited for its place until its caller had left is not begun. */
  async function bounded(operation: Operation, call: CallContext, run: () => Promise<unknown>): Promise<unknown> {
    try {
      return await placed(operation, call, () => {
        call.signal?.throwIfAborted()
        return run()
      })
    } catch (error) {
      throw asBusy(error)
    }
  }

  return {
    limit,
    run: (operation, call, input) => bounded(operation, call, () => runOnce(operation, call, input)),
    async execute(operation, call, input, key) {
      if (key) return executeKeyed(operation, call, input, { ...key, actor: call.actor })
      // Nothing can be replayed, so an unreadable input needs no place in the queue.
      if (input instanceof UnreadableInput) throw input.error
      return { data: await bounded(operation, call, async () => runOnce(operation, call, parse(operation, input))) }
    },
  }
}

const replayOf = (reply: Reply): Keyed => ({ data: undefined, reply: { ...reply, replayed: true } })

function parse(operation: Operation, input: unknown): z.output<z.ZodObject> {
  if (input instanceof UnreadableInput) throw input.error
  const parsed = operation.input.safeParse(input)
  if (!parsed.success) throw new InvalidInput(parsed.error)
  return parsed.data
}

const inProgress = (): ServiceError => errors.key_in_progress({ retryAfter: 1 })

function timeout(deadline: number): Promise<'timeout'> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, deadline - Date.now()), 'timeout').unref()
  })
}
