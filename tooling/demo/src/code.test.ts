import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newestCode } from './code.ts'

test('the code is that of the newest email to the address, beside later emails to others', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'payments-demo-'))
  try {
    mkdirSync(join(directory, 'mail'))
    const email = (name: string, to: string, code: string) =>
      writeFileSync(join(directory, 'mail', name), `To: ${to}\n\nYour code is ${code}.`)
    email('1.eml', 'ada@example.com', '111111')
    email('2.eml', 'ada@example.com', '222222')
    email('3.eml', 'bob@example.com', '333333')
    expect(await newestCode(directory, 'ada@example.com')).toBe('222222')
    expect(await newestCode(directory, 'bob@example.com')).toBe('333333')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
