import { parseArgs } from 'node:util'
import { adapters } from '@payments/gateway'
import { examine } from '../doctor/examine.ts'
import { asText } from '../doctor/report.ts'

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, mail: { type: 'string' } } })
// biome-ignore lint/style/noProcessEnv: the one place of this command that reads the environment
const found = await examine(process.env, adapters, values.mail)
process.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : asText(found))
if (found.some(({ status }) => status === 'failed')) process.exitCode = 1
