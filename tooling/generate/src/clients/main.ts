// npm run pack [-- --out <folder>]: the SDK and the command line as npm would publish them.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '@payments/checks'
import { packCli, packSdk } from './pack.ts'

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } })
const out = resolve(root, values.out)
process.stdout.write(`${packSdk(out)}\n${await packCli(out)}\n`)
