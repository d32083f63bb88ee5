// npm run package [-- --out <folder>]: what is installed in production, with its bill of materials and its digest.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createPackage } from '@payments/bundle'
import { root } from '@payments/checks'

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } })
try {
  const { folder, archive, clients } = await createPackage(resolve(root, values.out))
  process.stdout.write(`${[folder, ...[archive, ...clients].flatMap((file) => [file, `${file}.sha256`])].join('\n')}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
