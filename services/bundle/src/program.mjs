#!/usr/bin/env node
// The service and every command of those who run it: `payments start`, `payments migrate`, …; without one it lists them.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const code = new URL('../lib/commands/', import.meta.url)
const names = readdirSync(fileURLToPath(code)).flatMap((file) => file.match(/^(.+)\.mjs$/)?.[1] ?? [])
// What follows the name are the options of the command.
const [name = ''] = process.argv.splice(2, 1)
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const own = process.versions.node
const least = engines.node.match(/\d+/)[0]
if (Number.parseInt(own, 10) < Number(least)) {
  process.stderr.write(`Node ${own} is too old: Node ${least} or newer is needed\n`)
  process.exitCode = 2
} else if (names.includes(name)) {
  // The stack of an error names the sources.
  process.setSourceMapsEnabled(true)
  await import(new URL(`${name}.mjs`, code).href)
} else {
  process.stderr.write(`${name === '' ? 'Name a command' : `Unknown command ${name}`}: one of ${names.join(', ')}\n`)
  process.exitCode = 2
}
