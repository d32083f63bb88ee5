import { join } from 'node:path'
import { openApiDocument } from '@payments/gateway'
import { call, startMailbox, startReceiver, startStand } from '@payments/stand'
import type { Proof } from '../proof.ts'
import { languageClients } from './clients/languages.ts'
import { typescriptClients } from './clients/typescript.ts'
import { exchange } from './exchange.ts'
import { audiences, spectralProblems } from './lint.ts'
import { startPrism, violationsOf } from './prism.ts'
import { examplesOf, type Paths } from './reference.ts'
import { startTools, type Tools } from './tools.ts'

/**
 * The interface against its documents, by programs of others: Prism between client and service, Spectral over the documents, clients of
 * three generators, and in full size clients in Python and Ruby. Redocly, the specification and the samples of the guides are in `npm test`.
 */
export const run: Proof = async ({ size, log }) => {
  const findings: string[] = []
  const tools = startTools()
  const [mailbox, receiver] = await Promise.all([startMailbox(), startReceiver()])
  const targets = `https://merchant.example,${receiver.origin}`
  const stand = await startStand({ SMTP_URL: mailbox.url, WEBHOOK_DEV_TARGETS: targets })
  try {
    log('Spectral')
    for (const audience of audiences) findings.push(...(await spectralProblems(tools, audience)))
    log('Prism')
    findings.push(...(await blindSpots(tools, stand.url)))
    const exchanged = await throughPrism(tools, { ...stand, mailbox, receiver })
    findings.push(...exchanged.problems)
    log('Generated clients')
    const { problems, clients } = await typescriptClients(tools, stand)
    findings.push(...problems)
    if (size === 'full') {
      log('Clients in other languages')
      const others = await languageClients(join(tools.folder, 'languages'), stand)
      findings.push(...others.problems)
      clients.push(...others.clients)
    }
    return { findings, figures: { operations: exchanged.operations, replies: exchanged.replies, clients } }
  } finally {
    await stand.stop()
    await Promise.all([mailbox.close(), receiver.close()])
    tools.remove()
  }
}

type Place = Omit<Parameters<typeof exchange>[0], 'seen'>

/** Every request of both references through Prism: what was refused in the end, and each violation that Prism saw. */
async function throughPrism(
  tools: Tools,
  place: Place,
): Promise<{ problems: string[]; operations: number; replies: number }> {
  const [merchants, operators] = audiences.map((audience) => openApiDocument(audience) as unknown as Paths & Parts) as [
    Paths & Parts,
    Paths & Parts,
  ]
  const document = {
    ...merchants,
    paths: { ...merchants.paths, ...operators.paths },
    components: Object.fromEntries(
      Object.keys(merchants.components).map((kind) => [
        kind,
        { ...operators.components[kind], ...merchants.components[kind] },
      ]),
    ),
  }
  const file = join(tools.folder, 'prism.json')
  const prism = await startPrism(tools.modules, { file, document, upstream: place.url })
  const problems: string[] = []
  const seen = new Set<string>()
  let replies = 0
  try {
    const refused = await exchange(
      {
        ...place,
        url: prism.url,
        seen({ method, path }, { status, headers }) {
          replies++
          seen.add(`${method} ${path}`)
          problems.push(...violationsOf(headers).map((violation) => `Prism, ${method} ${path} ${status}: ${violation}`))
        },
      },
      examplesOf(merchants),
      examplesOf(operators),
    )
    problems.push(...[...refused].map(([line, answer]) => `${line}: ${answer}`))
  } finally {
    prism.stop()
  }
  return { problems, operations: seen.size, replies }
}

interface Parts {
  readonly components: Readonly<Record<string, object>>
}

/** That Prism reports what is wrong: a request and a reply that break a document made for that. */
async function blindSpots(tools: Tools, upstream: string): Promise<string[]> {
  const { paths, ...rest } = openApiDocument('merchants') as unknown as Paths
  const health = {
    get: {
      responses: { 200: { description: 'OK', content: { 'application/json': { schema: { required: ['absent'] } } } } },
    },
  }
  const file = join(tools.folder, 'spoiled.json')
  const prism = await startPrism(tools.modules, {
    file,
    document: { ...rest, paths: { ...paths, '/health': health } },
    upstream,
  })
  try {
    const reply = await call(prism, 'GET /health')
    const request = await call(prism, 'POST /v1/customers', { body: { name: 1 }, token: 'svc_test_x' })
    return [reply, request].flatMap(({ headers, status }, index) =>
      violationsOf(headers).length > 0
        ? []
        : `Prism did not see what is wrong with ${index === 0 ? 'a reply' : 'a request'} (${status})`,
    )
  } finally {
    prism.stop()
  }
}
