import { noInput } from '@payments/kernel'
import { answersOf, operatorCommand, platformSettings, query } from '@payments/platform'
import { errors } from './errors.ts'
import { attention, close, recheck, resolve } from './overview/attention.ts'
import { auditLog } from './overview/audit.ts'
import { searchEverything } from './overview/found.ts'
import { providerHealth } from './overview/health.ts'
import { operatedObject } from './overview/objects.ts'
import { setProvider } from './overview/providers.ts'
import { deadJobs, queues, retryDead } from './overview/queues.ts'
import { search } from './overview/search.ts'
import { settingsInForce } from './overview/settings-in-force.ts'
import {
  Attention,
  AttentionClosed,
  AttentionFilter,
  AttentionId,
  AttentionInput,
  AttentionObject,
  AttentionRef,
  AuditFilter,
  AuditLog,
  Cells,
  ControlledProvider,
  DeadFilter,
  DeadJobs,
  Everything,
  EverythingInput,
  Found,
  JobId,
  ObjectId,
  OperatedObject,
  ProviderControlChange,
  ProviderHealth,
  Queues,
  Rechecked,
  Retried,
  SearchInput,
  SettingsInForce,
} from './schemas.ts'

const tag = 'Operators'

/** One search over everything that belongs to an organisation. */
export const searchRouter = {
  find: query({
    rest: 'POST /search',
    access: 'read',
    tag: 'Search',
    summary: 'Search everything',
    description:
      'Customers, collections and their payments, payment routes, orders, swaps, cNGN transfers and webhook endpoints of your organisation, by words, numbers, amounts, hashes, addresses, references and email addresses.',
    message: 'Results retrieved',
    input: EverythingInput,
    output: Everything,
    run: (context, { text, limit }) => searchEverything(context, text, limit),
  }),
}

/** What operators do over all domains. */
export const operatorsRouter = {
  search: query({
    rest: 'POST /admin/ops/search',
    access: 'operator',
    tag,
    summary: 'Find objects',
    description:
      'Of any organisation, by an id, an id of a provider, a transaction hash, an address, a reference or an email address, in full.',
    message: 'Objects retrieved',
    input: SearchInput,
    output: Found,
    run: (context, { text }) => search(context, text),
  }),
  objects: {
    get: query({
      rest: 'GET /admin/ops/objects/{id}',
      access: 'operator',
      tag,
      summary: 'Get an object of any organisation',
      description:
        'As its merchant reads it, with whose it is and the parameter of the commands that take its id. Its timeline is at `/admin/ops/timeline/{id}`.',
      message: 'Object retrieved',
      input: ObjectId,
      output: OperatedObject,
      errors: [errors.object_not_found],
      run: (context, { id }) => operatedObject(context, id),
    }),
  },
  attention: {
    list: query({
      rest: 'POST /admin/ops/attention',
      access: 'operator',
      tag,
      summary: 'List what needs an operator',
      description:
        'Objects of every domain that failed with money in the wrong place, are held, of unknown outcome or stuck, with the reason: the number of them by kind, and the first 200 with their merchant and amount, those that have waited longest or the largest amounts first.',
      message: 'Objects retrieved',
      input: AttentionInput,
      output: Attention,
      run: attention,
    }),
    recheck: operatorCommand({
      rest: 'POST /admin/ops/attention/recheck',
      tag,
      summary: 'Ask the providers again about all objects that need an operator',
      description:
        'About those that the filter matches, soon and within the rate budgets. List them with the same filter first: it shows how many there are. May be repeated.',
      message: 'Recheck scheduled',
      input: AttentionFilter,
      output: Rechecked,
      errors: [errors.nothing_to_recheck],
      run: async (unit, { reason: _reason, ...filter }) => ({ reply: { count: await recheck(unit, filter) } }),
    }),
    resolve: operatorCommand({
      rest: 'POST /admin/ops/attention/resolve',
      tag,
      summary: 'Mark an object that needs an operator as handled',
      description:
        'It is not listed again until it needs an operator anew. The object, its money and the views of its domain stay as they are.',
      message: 'Object marked',
      input: AttentionRef,
      output: AttentionObject,
      errors: [errors.not_in_need],
      async run(unit, input) {
        const reply = await resolve(unit, input)
        const { id, organisationId, environment } = reply
        const subject = { id, ...(organisationId ? { organisationId } : {}), ...(environment ? { environment } : {}) }
        return { reply, subject, before: { condition: reply.condition }, after: { condition: null } }
      },
    }),
    close: operatorCommand({
      rest: 'POST /admin/ops/attention/{id}/close',
      tag,
      summary: 'Close what an object needs an operator for',
      description:
        'Of every kind under which the object is listed: kept reports count as dealt with, a refused price becomes the one that later ones are compared with, and anything else is not listed again until it needs an operator anew. No money moves.',
      message: 'Closed',
      input: AttentionId,
      output: AttentionClosed,
      errors: [errors.not_in_need],
      async run(unit, { id }) {
        const objects = await close(unit, id)
        const { organisationId, environment } = objects[0] ?? {}
        const subject = { id, ...(organisationId ? { organisationId } : {}), ...(environment ? { environment } : {}) }
        return {
          reply: { objects, total: objects.length },
          subject,
          before: { reasons: objects.map(({ reason }) => reason) },
          after: { reasons: [] },
        }
      },
    }),
  },
  auditLog: query({
    rest: 'POST /admin/ops/audit-log',
    access: 'operator',
    tag,
    summary: 'Search the audit log',
    description:
      'What operators did: who, when, why, and what it changed. Nothing in it can be changed or deleted. The newest 200; `total` counts all that match; `before` reads on.',
    message: 'Audit log retrieved',
    input: AuditFilter,
    output: AuditLog,
    run: auditLog,
  }),
  queues: {
    list: query({
      rest: 'GET /admin/ops/queues',
      access: 'operator',
      tag,
      summary: 'List job queues and schedules',
      description: 'How many jobs wait, run and have failed in each queue, and when the recurring ones run.',
      message: 'Queues retrieved',
      input: noInput,
      output: Queues,
      run: queues,
    }),
    deadLetters: query({
      rest: 'POST /admin/ops/queues/dead-letters',
      access: 'operator',
      tag,
      summary: 'List jobs that failed for good',
      description: 'The 200 oldest; `total` counts all that match.',
      message: 'Jobs retrieved',
      input: DeadFilter,
      output: DeadJobs,
      run: (context, { queue }) => deadJobs(context, queue),
    }),
    retryOne: operatorCommand({
      rest: 'POST /admin/ops/queues/dead-letters/{jobId}/retry',
      tag,
      summary: 'Retry a job that failed for good',
      description: 'Sends it again to the queue from which it came.',
      message: 'Job sent again',
      input: JobId,
      output: Retried,
      errors: [errors.job_not_found],
      run: async (unit, { jobId: id }) => ({ reply: { count: await retryDead(unit, { id }) }, subject: { id } }),
    }),
    retryAll: operatorCommand({
      rest: 'POST /admin/ops/queues/dead-letters/retry',
      tag,
      summary: 'Retry all jobs that failed for good',
      description: 'Those of one queue, or of all. List them with the same filter first: it shows how many there are.',
      message: 'Jobs sent again',
      input: DeadFilter,
      output: Retried,
      run: async (unit, { queue }) => ({ reply: { count: await retryDead(unit, { queue }) } }),
    }),
  },
  providers: query({
    rest: 'GET /admin/ops/providers',
    access: 'operator',
    tag,
    summary: 'Get the providers and their health',
    description:
      'Which providers there are and what they take, how they answered in the last 15 minutes, over all processes, and what is left of their rate budgets.',
    message: 'Providers retrieved',
    input: noInput,
    output: ProviderHealth,
    run: providerHealth,
  }),
  setProvider: operatorCommand({
    rest: 'PATCH /admin/ops/providers/{provider}',
    tag,
    summary: 'Drain, switch off or reorder a provider',
    description:
      'Holds in every process from now on. Objects that the provider carries stay with it, whatever its state: draining it lets them finish, switching it off lets them wait.',
    message: 'Provider updated',
    input: ProviderControlChange,
    output: ControlledProvider,
    errors: [errors.provider_not_found],
    run: setProvider,
  }),
  settings: query({
    rest: 'GET /admin/ops/settings',
    access: 'operator',
    tag,
    summary: 'Get the settings in force',
    description: 'Of the process that answers. Of texts, which may be secrets, only whether they are set.',
    message: 'Settings retrieved',
    input: noInput,
    output: SettingsInForce,
    run: async ({ runtime }) => ({ settings: settingsInForce(runtime) }),
  }),
  cells: query({
    rest: 'GET /admin/ops/cells',
    access: 'operator',
    tag,
    summary: 'List the cells',
    description:
      'The installation that answers, and the others behind the same address, each of which is asked whether it answers.',
    message: 'Cells retrieved',
    input: noInput,
    output: Cells,
    async run({ runtime }) {
      const { CELL, CELLS } = platformSettings.from(runtime.settings)
      return { cell: CELL, others: [...(await answersOf(CELLS))] }
    },
  }),
}
