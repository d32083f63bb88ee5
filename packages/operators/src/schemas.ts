import {
  count,
  createdAt,
  environments,
  exampleId,
  id,
  items,
  pathId,
  personal,
  text,
  time,
  total,
} from '@payments/kernel'
import { callOutcomes, conditions, effectKinds, providerStates } from '@payments/platform'
import { z } from 'zod'
import { approvalStatuses } from './states.ts'

const [ORGANISATION, USER, ROUTE, APPROVAL, ENTRY, JOB] = [1, 2, 10, 100, 101, 102]

const command = text('Name of the command, as in tRPC', 'admin.paymentRoutes.pause')
const input = z.record(z.string().max(100), z.unknown()).meta({
  description: 'Its input',
  example: { paymentRouteId: exampleId(ROUTE), reason: 'Asked for by the merchant' },
})
const environment = z.enum(environments).nullable().meta({ description: 'Environment of the object', example: 'test' })
const organisationId = z
  .uuid()
  .nullable()
  .meta({ description: 'Organisation that the object belongs to', example: exampleId(ORGANISATION) })

const json = (description: string, example: object) => z.record(z.string(), z.unknown()).meta({ description, example })

export const CommandCall = z.strictObject({ command: command.max(100), input })
const Effect = z
  .object({
    kind: z.enum(effectKinds).meta({
      description:
        '`change`: an object changes, with its event; `posting`: in the journal; `approval`: a second operator is needed; `touched`: what an organisation has that the command bears on',
      example: 'change',
    }),
    resourceId: z
      .uuid()
      .nullable()
      .meta({ description: 'Object that it happens to', example: exampleId(ROUTE) }),
    summary: text('One line', 'payment_route.updated: active → paused'),
  })
  .meta({ id: 'Effect', description: 'Something that a command would do' })
const effects = items('What it would do, in order', Effect)
export const DryRun = z
  .object({
    effects,
    reply: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What it would answer', example: { status: 'paused' } }),
    organisationId,
    environment,
    before: json('What the object is now', { status: 'active' }).nullable(),
    after: json('What it would be', { status: 'paused' }).nullable(),
  })
  .meta({ id: 'DryRun', description: 'What a command would do; nothing was changed' })

export const ApprovalId = z.strictObject({
  approvalId: z.string().meta({ description: 'Id of the approval', example: exampleId(APPROVAL) }),
})
export const Approval = z
  .object({
    id: id('approval', APPROVAL),
    status: z.enum([...approvalStatuses, 'expired']).meta({ description: 'Status', example: 'pending' }),
    command,
    input,
    effects,
    reason: text('Why it was requested', 'The bank confirmed the transfer by phone'),
    requestedBy: z.uuid().meta({ description: 'Operator who requested it', example: exampleId(USER) }),
    requestedByEmail: text('Address of that operator', 'grace@example.com').nullable(),
    decidedByEmail: text('Address of the operator who approved or declined it', 'ada@example.com').nullable(),
    expiresAt: time('Until when it can be approved'),
    createdAt,
  })
  .meta({ id: 'Approval', description: 'A command on money that another operator approves' })
export const ApprovalFilter = z.strictObject({
  status: z.enum(approvalStatuses).optional().meta({ description: 'Filter by status', example: 'pending' }),
})
export const ApprovalList = z.object({ approvals: items('The newest 200 approvals', Approval), total })

export const AuditFilter = z.strictObject({
  resourceId: z
    .uuid()
    .optional()
    .meta({ description: 'Only of this object', example: exampleId(ROUTE) }),
  organisationId: z
    .uuid()
    .optional()
    .meta({ description: 'Only of objects of this organisation', example: exampleId(ORGANISATION) }),
  email: text('Only by this operator', 'grace@example.com').max(254).optional(),
  operation: text(
    'Only this operation, as method and path pattern',
    'POST /admin/ops/payment-routes/{paymentRouteId}/pause',
  )
    .max(200)
    .optional(),
  before: z.iso
    .datetime()
    .optional()
    .meta({ description: 'Only entries before this time: to read on', example: '2026-01-31T12:00:00.000Z' }),
})
export const AuditLog = z.object({
  entries: items(
    'The newest 200 entries',
    z
      .object({
        id: id('entry', ENTRY),
        at: time('When it was done'),
        userId: z
          .uuid()
          .nullable()
          .meta({ description: 'Operator who did it', example: exampleId(USER) }),
        email: text('Address of the operator at that time', 'grace@example.com').nullable(),
        tokenId: z
          .uuid()
          .nullable()
          .meta({ description: 'Internal token of that operator, if a tool did it', example: null }),
        requestedBy: z
          .uuid()
          .nullable()
          .meta({ description: 'Operator who requested what this one approved', example: null }),
        operation: text('Method and path pattern', 'POST /admin/ops/payment-routes/{paymentRouteId}/pause'),
        summary: text('What it does', 'Pause a payment route'),
        reason: text('Why', 'Asked for by the merchant').nullable(),
        organisationId,
        environment,
        resourceId: z
          .uuid()
          .nullable()
          .meta({ description: 'Object concerned', example: exampleId(ROUTE) }),
        input: json('Input, without the reason', { paymentRouteId: exampleId(ROUTE) }),
        before: json('What the object was before', { status: 'active' }).nullable(),
        after: json('What it was afterwards', { status: 'paused' }).nullable(),
      })
      .meta({ id: 'AuditEntry', description: 'What an operator did' }),
  ),
  total,
})

export const SearchInput = z.strictObject({
  text: z.string().trim().min(3).max(200).meta({
    description:
      "An id of this service or of a provider, a transaction hash, an address, a merchant's reference or an email address, in full",
    example: 'ada@example.com',
  }),
})
export const Found = z.object({
  objects: items(
    'At most 50 of each kind',
    z
      .object({
        kind: text('Kind of object', 'customer'),
        id: id('object', 20),
        organisationId,
        environment,
        matched: text('What the text was found as', 'email'),
      })
      .meta({ id: 'FoundObject', description: 'An object that a search found' }),
  ),
  total,
})

export const EverythingInput = z.strictObject({
  text: personal(
    z.string().trim().min(1).max(500).meta({
      description:
        'Words of names and titles, each by its beginning, in any capitals, with or without marks; an amount; the number of an invoice; or an id, a transaction hash, an address, a reference or an email address, in full, also in the address of an explorer',
      example: 'ada consulting',
    }),
  ),
  limit: z.number().int().min(1).max(50).default(10).meta({ description: 'At most so many of each kind', example: 10 }),
})
export const Everything = z.object({
  results: items(
    'What fits, by kind, newest first',
    z
      .object({
        resource: text('Kind of object', 'collection'),
        id: id('object', 80),
        title: personal(text('What it is called', 'Consulting in January')),
        subtitle: personal(text('What distinguishes it from others of its kind', 'ada@example.com')),
        amount: text('Its amount with the currency; null without one', '25 USDC').nullable(),
        status: text('Its status; null without one', 'open').nullable(),
        createdAt,
      })
      .meta({ id: 'SearchResult', description: 'An object that a search over everything found' }),
  ),
  total: count('Number of all that fit; null where there are too many to be counted', 1).nullable(),
})

export const ObjectId = z.strictObject({ id: pathId('object', ROUTE) })
export const OperatedObject = z
  .object({
    kind: text('Kind of object', 'payment_route'),
    id: id('object', ROUTE),
    organisationId: z.uuid().meta({ description: 'Organisation that it belongs to', example: exampleId(ORGANISATION) }),
    environment: z.enum(environments).meta({ description: 'Environment of the object', example: 'test' }),
    parameter: text(
      'Parameter of the operators’ commands that takes its id; null where none does',
      'paymentRouteId',
    ).nullable(),
    commands: items('Names of the operators’ commands that concern it, as in tRPC', command),
    object: json('The object, as its GET shows it to the merchant', { id: exampleId(ROUTE), status: 'active' }),
  })
  .meta({ id: 'OperatedObject', description: 'An object of any organisation' })

export const AttentionFilter = z.strictObject({
  kind: text('Only objects of this kind', 'offramp').max(100).optional(),
  condition: z.enum(conditions).optional().meta({ description: 'Only those in this condition', example: 'unknown' }),
  organisationId: z
    .uuid()
    .optional()
    .meta({ description: 'Only those of this organisation', example: exampleId(ORGANISATION) }),
  environment: z.enum(environments).optional().meta({ description: 'Only those of this environment', example: 'test' }),
  olderThanMinutes: z.number().int().min(0).max(5_256_000).optional().meta({
    description: 'Only those that have needed an operator for longer than this',
    example: 0,
  }),
})
export const AttentionInput = AttentionFilter.extend({
  sort: z.enum(['oldest', 'amount']).optional().meta({
    description:
      '`oldest`: those that have waited longest first, as without it. `amount`: live before test, then by value in US dollars, the largest first and of equal ones the oldest. Where no value is known, that of the last rate counts; amounts of a currency without a rate stand between the others, the largest behind the largest value and so on. What has no amount comes last, the oldest first',
    example: 'amount',
  }),
})
export const AttentionObject = z
  .object({
    kind: text('Kind of object', 'offramp'),
    id: id('object', 61),
    organisationId,
    environment,
    status: text('State of the object', 'processing'),
    condition: z.enum(conditions).meta({
      description:
        '`failed`: it ended, and money is not where it belongs. `held`: a provider holds its money. `unknown`: nobody knows yet what a provider did. `stuck`: it has not moved for too long, or cannot be processed.',
      example: 'unknown',
    }),
    reason: text('Why', 'The provider does not report the outcome of the transfer'),
    since: time('Since when'),
  })
  .meta({ id: 'AttentionObject', description: 'An object that needs an operator' })
const AttentionListed = AttentionObject.extend({
  merchant: text('Name of the organisation; null where it belongs to none', 'Ada Ltd').nullable(),
  amount: text('What its transaction moves; null where it has none', '25 USDC').nullable(),
  amountUsd: text('Its value in US dollars; null where it is not known', '25').nullable(),
}).meta({ id: 'AttentionListed', description: 'An object that needs an operator, with its merchant and its money' })
export const AttentionRef = z.strictObject({
  kind: text('Kind of object', 'payment_route_deposit').max(100),
  id: z
    .string()
    .max(100)
    .meta({ description: 'Id of the object', example: exampleId(11) }),
})
export const AttentionId = z.strictObject({ id: AttentionRef.shape.id })
export const AttentionClosed = z.object({ objects: items('What needed an operator, by kind', AttentionObject), total })
export const Attention = z.object({
  counts: items(
    'How many there are, by kind and condition',
    z.object({
      kind: text('Kind of object', 'offramp'),
      condition: z.enum(conditions).meta({ description: 'Why they need an operator', example: 'unknown' }),
      count: count('How many'),
    }),
  ),
  objects: items('The first 200, as they are sorted', AttentionListed),
  total,
})
export const Rechecked = z.object({ count: count('Objects about which the provider is asked again, soon') })

export const Queues = z.object({
  queues: items(
    'By name',
    z.object({
      name: text('Name of the queue', 'accounts.mail'),
      waiting: count('Jobs that wait or are retried'),
      active: count('Jobs that run'),
      failed: count('Jobs that failed for good and are still kept'),
      oldestWaitingAt: time('When the oldest waiting job was due').nullable(),
    }),
  ),
  schedules: items(
    'By name',
    z.object({
      name: text('Name of the job', 'platform.purge'),
      cron: text('When it runs, in UTC', '*/10 * * * *'),
      description: text('When it runs, in words', 'Every 10 minutes'),
    }),
  ),
})
export const JobId = z.strictObject({
  jobId: z.string().meta({ description: 'Id of the job in the dead-letter queue', example: exampleId(JOB) }),
})
const DeadJob = z
  .object({
    id: id('job', JOB),
    queue: text('Queue in which it failed', 'accounts.mail'),
    error: text('Why it failed the last time', 'connect ECONNREFUSED').nullable(),
    failedAt: time('When it failed for good'),
  })
  .meta({ id: 'DeadJob', description: 'A job that failed for good' })
export const DeadFilter = z.strictObject({
  queue: text('Only jobs of this queue', 'accounts.mail')
    .max(100)
    // What pg-boss takes for a name.
    .regex(/^[\w./-]+$/, 'Must be the name of a queue')
    .optional(),
})
export const DeadJobs = z.object({ jobs: items('The 200 oldest', DeadJob), total })
export const Retried = z.object({ count: count('Jobs that were sent again') })

const providerFields = {
  provider: text('Name of the provider', 'sandbox'),
  environment: z.enum(environments).meta({ description: 'Environment', example: 'test' }),
  state: z.enum(providerStates).meta({
    description:
      '`active`: takes new objects. `draining`: carries only those that it has. `off`: nothing is asked of it, and its objects wait',
    example: 'active',
  }),
  priority: z
    .int()
    .min(-1000)
    .max(1000)
    .nullable()
    .meta({ description: 'Lower is asked first; null: as the settings order it', example: null }),
}

export const ProviderControlChange = z.strictObject({
  provider: providerFields.provider,
  environment: providerFields.environment.default('live'),
  state: providerFields.state.optional(),
  priority: providerFields.priority.optional(),
})
export const ControlledProvider = z.object(providerFields)

export const ProviderHealth = z.object({
  bound: items(
    'By port and environment, in the order of the composition: those that new objects can get, and those that carry older ones',
    z.object({
      ...providerFields,
      port: text('What it is for', 'fiat'),
      available: z
        .boolean()
        .meta({ description: 'False while its calls fail at once, in the process that answers', example: true }),
    }),
  ),
  providers: items(
    'By provider, environment and operation: the last 15 minutes',
    z.object({
      provider: text('Name of the provider', 'fiat'),
      environment: z.enum(environments).meta({ description: 'Environment', example: 'test' }),
      operation: text('What it was asked', 'report'),
      ...(Object.fromEntries(
        callOutcomes.map((outcome) => [
          outcome,
          count(`Calls that ${outcome === 'refused' ? 'were' : ''} ${outcome}`.replace('  ', ' '), 1),
        ]),
      ) as Record<(typeof callOutcomes)[number], ReturnType<typeof count>>),
      averageMilliseconds: count('How long a call took on average', 120),
      lastFailureAt: time('The last minute with a failure').nullable(),
    }),
  ),
  rateBudgets: items(
    'By provider and environment',
    z.object({
      provider: text('Name of the provider', 'fiat'),
      environment: z.enum(environments).meta({ description: 'Environment', example: 'test' }),
      callsLeft: count('Calls that scheduled polls may make now', 100),
    }),
  ),
})

export const SettingsInForce = z.object({
  settings: items(
    'By name',
    z.object({
      name: text('Name of the setting', 'LOG_LEVEL'),
      value: text('Its value; `set` for one that may hold a secret', 'info').nullable(),
      description: text('What it does', 'Lowest level that is written'),
    }),
  ),
})

export const Cells = z.object({
  cell: count('Number of the cell that answers', 0),
  others: items(
    'The other cells of the setting CELLS',
    z.object({
      cell: count('Number of the cell', 1),
      address: text('Its address', 'https://one.example.com'),
      answers: z.boolean().meta({ description: 'It answered within three seconds' }),
      answer: text('In words: that it answers, or why it does not', 'answers'),
    }),
  ),
})
