import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Lexer } from 'marked'
import { expect, test } from 'vitest'
import { freePort, hasTools, useArtefact } from '#testing'
import { run } from './run.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const receiverPort = await freePort()
const service = useArtefact({
  settings: { WEBHOOK_DEV_TARGETS: `http://127.0.0.1:${receiverPort}` },
})
const blocks = Lexer.lex(readFileSync(join(ROOT, 'README.md'), 'utf8')).flatMap((token) =>
  token.type === 'code' ? [{ language: token.lang ?? '', code: token.text as string }] : [],
)

/** The commands by hand, and not the ones that start a program of this repository, which has tests of its own. */
const byHand = blocks.filter(({ language, code }) => language === 'sh' && !/^npm (start|run demo)$/.test(code))

test.runIf(hasTools('bash', 'curl'))(
  'the commands that the README gives by hand lead to a completed deposit and its transaction',
  async () => {
    expect(byHand).toHaveLength(1)
    const folder = mkdtempSync(join(tmpdir(), 'payments-readme-'))
    try {
      const here = (code: string) =>
        code.replaceAll('http://127.0.0.1:4000', service.url).replaceAll('9000', String(receiverPort))
      symlinkSync(service.dataDir, join(folder, '.data'))
      const receiver = 'tooling/start/receiver.mjs'
      mkdirSync(join(folder, 'tooling/start'), { recursive: true })
      writeFileSync(join(folder, receiver), here(readFileSync(join(ROOT, receiver), 'utf8')))
      // A busy machine may need longer than two seconds to write the email.
      const script = here(byHand[0]?.code ?? '').replace(
        'sleep 2;',
        'until ls .data/mail/*.eml 2>/dev/null; do sleep 0.1; done;',
      )
      expect(script).toContain('until ls')
      const printed = await run('bash', ['-c', `set -euo pipefail\n${script}`], folder, { env: {} })
      expect(printed).toContain('payment_route.deposit.updated completed: signature verified')
      expect(printed).toMatch(/"kind":"payment_route".*"amount":"12\.5 USDC"/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000,
)

test('the README has no other samples than those that are run or start a tested program', () => {
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['sh']))
})
