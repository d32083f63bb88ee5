import { openApiDocument } from '@payments/gateway'
import { startMailbox, startReceiver } from '@payments/stand'
import { afterAll, expect, test } from 'vitest'
import { useArtefact } from '#testing'
import { declaredProblem, wholeDocument } from './document.ts'
import { exchange } from './exchange.ts'
import { audiences, redoclyProblems } from './lint.ts'
import { examplesOf, type Paths } from './reference.ts'

const mailbox = await startMailbox()
const receiver = await startReceiver()
afterAll(() => Promise.all([mailbox.close(), receiver.close()]))
const service = useArtefact({
  settings: {
    SMTP_URL: mailbox.url,
    WEBHOOK_DEV_TARGETS: `https://merchant.example,${receiver.origin}`,
    RATE_LIMIT_GLOBAL: '10000',
    RATE_LIMIT_AUTH: '1000',
  },
})

test('every request of the reference succeeds in the sandbox with the ids of objects that exist, and every reply is as the document says', async () => {
  const [merchants, operators] = audiences.map((audience) => examplesOf(openApiDocument(audience) as unknown as Paths))
  const document = wholeDocument()
  const problems: string[] = []
  const { url, runtime } = service
  const refused = await exchange(
    {
      url,
      runtime,
      mailbox,
      receiver,
      seen(example, answer) {
        const { status, headers, text } = answer
        const type = headers.get('content-type') ?? ''
        const problem = declaredProblem(document, example, { status, type, text })
        if (problem) problems.push(`${example.line}: ${problem}`)
      },
    },
    merchants ?? [],
    operators,
  )
  expect(Object.fromEntries(refused)).toEqual({})
  expect(problems).toEqual([])
}, 120_000)

test.each(audiences)(
  "the document for %s passes Redocly's recommended rules without an error or a warning",
  async (audience) => {
    expect(await redoclyProblems(audience)).toEqual([])
  },
)
