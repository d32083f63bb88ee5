import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { isPaymentsError, type Payments } from '@payments/sdk'
import { operations } from './generated/operations.ts'
import { callOperation, type Operation } from './operations.ts'

/** What an agent may move in live. */
export interface MoneyLimits {
  /** May it call this operation at all? */
  has(operation: string): boolean
  /** Counts an amount before it is sent. Returns why it may not be moved, or undefined. */
  take(operation: string, amount: string, idempotencyKey: string): string | undefined
}

export interface AgentOptions {
  readonly environment: 'test' | 'live'
  readonly allowWrites: boolean
  /** Without them nothing is moved in live. */
  readonly limits?: MoneyLimits
  /** The text of a page of the documentation, by its path. @throws Error where there is none */
  page(path: string): Promise<string>
}

/** Operations that send money away. */
const MOVES_MONEY = /^(swaps|offramps|onramps|cngn\.(converts|withdrawals|payouts))\.create$/
/** What an agent never does: it would let others act, or change where money goes. */
const NEVER =
  /^(paymentRoutes\.refundAddresses\.update|payoutControls\.update|webhookEndpoints\.rotateSecret|customers\.anonymise)$/

const nameOf = ({ resource, name }: Operation): string => `${resource}.${name}`

/** The operations that are tools: reads; with `--allow-writes` changes; those that move money in the sandbox, or with an allowance. */
const toolsOf = ({ environment, allowWrites, limits }: AgentOptions): Operation[] =>
  operations.filter((operation) => {
    if (operation.reply === 'file') return false
    if (operation.method === 'GET') return true
    const name = nameOf(operation)
    if (!allowWrites || NEVER.test(name)) return false
    return !MOVES_MONEY.test(name) || environment === 'test' || limits?.has(name) === true
  })

/** A Model Context Protocol server whose tools are operations of the API, and whose resources are its guides. */
export function agentServer(payments: Payments, options: AgentOptions): Server {
  const tools = new Map(toolsOf(options).map((operation) => [nameOf(operation).replaceAll('.', '_'), operation]))
  const server = new Server({ name: 'payments', version: '0.1.0' }, { capabilities: { tools: {}, resources: {} } })

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools].map(([name, operation]) => ({
      name,
      description: `${operation.summary}. ${operation.description}`,
      inputSchema: inputOf(operation),
      annotations: { readOnlyHint: operation.method === 'GET', destructiveHint: operation.method === 'DELETE' },
    })),
  }))

  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }): Promise<CallToolResult> => {
    const operation = tools.get(params.name)
    if (!operation) return failed(`There is no tool ${params.name}, or it is not allowed`)
    const { idempotencyKey, ...given } = (params.arguments ?? {}) as Record<string, unknown>
    const ids = operation.ids.map(({ name }) => String(given[name] ?? ''))
    const fields = {
      ...(isDryRun(operation) && { dryRun: true }),
      ...Object.fromEntries(Object.entries(given).filter(([name]) => !operation.ids.some((id) => id.name === name))),
    }
    const key = typeof idempotencyKey === 'string' ? idempotencyKey : undefined
    const refused = moneyProblem(operation, fields, key, options)
    if (refused) return failed(refused)
    try {
      const result = await callOperation(payments, operation, ids, fields, {
        signal,
        ...(key && { idempotencyKey: key }),
      })
      return { content: [{ type: 'text', text: JSON.stringify(result) }] }
    } catch (error) {
      if (!isPaymentsError(error) && !(error instanceof TypeError)) throw error
      return failed(
        isPaymentsError(error) ? `${error.message} (${error.code}, request ${error.requestId})` : error.message,
      )
    }
  })

  // The list of the guides is what the service offers to language models.
  server.setRequestHandler(ListResourcesRequestSchema, async () => {
    const text = await options.page('/llms.txt')
    const guides = [...text.matchAll(/^- \[(.+?)\]\((\/docs[\w/-]*\.md)\): (.+)$/gm)]
    return {
      resources: guides.map(([, name = '', path = '', description = '']) => ({
        ...{ name, description, uri: `payments:${path}`, mimeType: 'text/markdown' },
      })),
    }
  })
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const [, path = ''] = uri.match(/^payments:(\/docs[\w/-]*\.md)$/) ?? []
    if (!path) throw new Error(`There is no resource ${uri}`)
    return { contents: [{ uri, mimeType: 'text/markdown', text: await options.page(path) }] }
  })
  return server
}

const failed = (text: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text }] })

/** Why a call that moves money is not made, or undefined. */
function moneyProblem(
  operation: Operation,
  fields: Record<string, unknown>,
  key: string | undefined,
  { environment, limits }: AgentOptions,
): string | undefined {
  const name = nameOf(operation)
  if (!MOVES_MONEY.test(name)) return undefined
  if (!key)
    return 'Name the change with idempotencyKey, such as an order number, so that repeating it does not do it twice'
  if (environment === 'test') return undefined
  const { amount } = fields
  if (!limits?.has(name)) return `${name} is not allowed in live`
  if (typeof amount !== 'string' || !/^\d+(\.\d+)?$/.test(amount)) return 'amount must be decimal text, such as 12.50'
  return limits.take(name, amount, key)
}

/** Can the operation say what it would do? Then it does so unless the agent says otherwise. */
const isDryRun = ({ fields }: Operation): boolean => fields.some(({ name }) => name === 'dryRun')

function inputOf(operation: Operation) {
  const { ids, fields, method } = operation
  const movesMoney = MOVES_MONEY.test(nameOf(operation))
  const properties = {
    ...Object.fromEntries(ids.map(({ name, description }) => [name, { type: 'string', description }])),
    ...Object.fromEntries(
      fields.map(({ name, type, description, choices }) => [
        name,
        {
          type,
          description:
            name === 'dryRun' ? `${description}. Default true: call it so first, then with false` : description,
          ...(choices && { enum: choices }),
        },
      ]),
    ),
    ...(method !== 'GET' && {
      idempotencyKey: {
        type: 'string',
        description: 'Names this change: a repeated call with the same key does it once',
      },
    }),
  }
  const required = [
    ...ids.map(({ name }) => name),
    ...fields.filter((field) => field.required).map(({ name }) => name),
    ...(movesMoney ? ['idempotencyKey'] : []),
  ]
  return { type: 'object' as const, properties, required }
}
