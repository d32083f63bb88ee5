import { errors, newId, ServiceError } from '@payments/kernel'
import {
  asBusy,
  type CallContext,
  type ConcurrencyLimit,
  concurrencyLimit,
  constraintOf,
  findStoredReply,
  type IdempotencyKey,
  InvalidInput,
  isDatabaseUnavailable,
  LastStatementEmpty,
  lease,
  nameOf,
  type Operation,
  platformSettings,
  queryContext,
  type Runtime,
  releaseLease,
  runUnit,
  type StoredReply,
  storeReply,
} from '@payments/platform'
import type { z } from 'zod'

const POLL_MS = 100

/** A request with an idempotency key, and the function that turns its result into the reply to store. */
interface Keyed {
  readonly key: IdempotencyKey
  reply(data: unknown): StoredReply
}

/** A reply. `replayed`: it is the stored reply of an earlier request. */
export interface KeyedReply extends StoredReply {
  readonly replayed: boolean
}

export interface Executor {
  /** The bound of each organisation, under which this executor runs operations; for work that bypasses it. */
  readonly limit: ConcurrencyLimit
  /** Runs an operation and returns its result: a value, or an async iterable if the operation streams its reply. */
  execute(operation: Operation, call: CallContext, input: unknown): Promise<unknown>
  /**
   * Runs a command once for its idempotency key and returns the reply, which is stored in the command's own transaction.
   * Duplicates in this process wait for the first request and hold no connection. Between processes the primary key of
   * the stored replies decides: the second request to commit is rolled back and replays the first one's reply. A request
   * that fails stores nothing.
   * @throws ServiceError 409 when the first request is still running after the wait limit.
   */
  executeKeyed(operation: Operation, call: CallContext, input: () => unknown, keyed: Keyed): Promise<KeyedReply>
}

/** Runs all operations of this process, for the REST façade, tRPC and in-process callers. */
export function createExecutor(runtime: Runtime): Executor {
  const settings = platformSettings.from(runtime.settings)
  const inFlight = new Map<string, Promise<KeyedReply | undefined>>()
  const limit = concurrencyLimit({
    running: Math.min(settings.ORGANISATION_CONCURRENCY, settings.DATABASE_POOL - 1),
    waiting: settings.ORGANISATION_WAITING,
    waitSeconds: settings.DATABASE_ACQUIRE_SECONDS,
  })

  async function executeFirst(
    operation: Operation,
    call: CallContext,
    input: () => unknown,
    keyed: Keyed,
    deadline: number,
  ): Promise<KeyedReply> {
    const { callsProvider, secretReply } = operation.meta
    const fence = newId()
    let leased = false
    try {
      const parsed = parse(operation, input())
      while (callsProvider) {
        if (await lease(runtime, keyed.key, fence)) {
          leased = true
          break
        }
        const reply = await findStoredReply(runtime, keyed.key)
        if (reply) return { ...reply, replayed: true }
        if (Date.now() >= deadline) throw inProgress()
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
      const options = { retentionHours: settings.IDEMPOTENCY_RETENTION_HOURS, encrypt: secretReply }
      return await runCommand(operation, call, parsed, (data) => {
        const reply = keyed.reply(data)
        return { value: { ...reply, replayed: false }, last: storeReply(runtime, keyed.key, fence, reply, options) }
      })
    } catch (error) {
      if (leased)
        await releaseLease(runtime, keyed.key, fence).catch((cause: unknown) =>
          runtime.log.warn({ err: cause }, 'lease release failed'),
        )
      // What is stored may be lost with this server: it is not acknowledged.
      const unreplicated = error instanceof ServiceError && error.code === 'busy'
      if (unreplicated || isDatabaseUnavailable(error)) throw error
      // A duplicate may have succeeded in another process; this error is then a consequence of its success.
      const stored = await findStoredReply(runtime, keyed.key)
      if (stored) return { ...stored, replayed: true }
      throw error instanceof LastStatementEmpty ? inProgress() : error
    }
  }

  async function execute(operation: Operation, call: CallContext, input: unknown): Promise<unknown> {
    const parsed = parse(operation, input)
    if (operation.command) return runCommand(operation, call, parsed, (value) => ({ value, last: undefined }))
    const context = queryContext(runtime, call.actor, call.log)
    if (operation.download)
      return operation.download.stream(context, parsed as never, call.signal ?? new AbortController().signal, call)
    if (operation.pages) {
      const items: unknown[] = []
      for await (const page of operation.pages.read(context)) items.push(...page)
      return { [operation.pages.name]: items, total: items.length }
    }
    return operation.output.parse(await operation.query?.(context, parsed as never, call))
  }

  return {
    limit,
    execute: (operation, call, input) =>
      limit.run(call.actor, () =>
        execute(operation, call, input).catch((error: unknown) => {
          throw asBusy(error)
        }),
      ),

    async executeKeyed(operation, call, input, keyed) {
      const name = nameOf(keyed.key)
      const deadline = Date.now() + settings.IDEMPOTENCY_WAIT_SECONDS * 1000
      for (;;) {
        const first = inFlight.get(name)
        if (!first) break
        const reply = await Promise.race([first, timeout(deadline)])
        if (reply === 'timeout') throw inProgress()
        if (reply) return { ...reply, replayed: true }
      }
      const own = limit.run(call.actor, () => executeFirst(operation, call, input, keyed, deadline))
      inFlight.set(
        name,
        own.catch(() => undefined),
      )
      try {
        return await own
      } finally {
        inFlight.delete(name)
      }
    },
  }

  /** Runs a command in one unit of work. `finish` turns its result into the value to return and the commit's last statement. */
  async function runCommand<T>(
    operation: Operation,
    call: CallContext,
    input: unknown,
    finish: (data: unknown) => { value: T; last: ReturnType<typeof storeReply> | undefined },
  ): Promise<T> {
    const { command, output, meta } = operation
    if (!command) throw new Error('Only a command can have an idempotency key')
    const context = queryContext(runtime, call.actor, call.log)
    const prepared = await command.before?.(context, input as never, call)
    try {
      return await runUnit(
        context,
        async (unit) => output.parse(await command.run(unit, input as never, prepared as never, call)),
        finish,
      )
    } catch (error) {
      const constraint = error instanceof ServiceError ? undefined : constraintOf(error)
      const row = constraint && meta.errors.find((each) => each.constraint === constraint)
      throw row ? row({ cause: error }) : error
    }
  }
}

function parse(operation: Operation, input: unknown): z.output<z.ZodObject> {
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
