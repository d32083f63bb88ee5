#!/usr/bin/env node
// The service and every command of those who run it: `payments start`, `payments migrate`, …; `payments help` says what each does.
import { readFileSync } from 'node:fs'

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const commands = read('../lib/commands.json')
// What follows the name are the options of the command.
const [asked = ''] = process.argv.splice(2, 1)
const isHelp = (word) => ['help', '--help', '-h'].includes(word)
const name = isHelp(asked) ? (process.argv[2] ?? '') : asked
const command = Object.hasOwn(commands, name) ? commands[name] : undefined
const usageOf = (of) => `payments ${of}${commands[of].options ? ` ${commands[of].options}` : ''}`
const { engines } = read('../package.json')
const own = process.versions.node
const least = engines.node.match(/\d+/)[0]
if (Number.parseInt(own, 10) < Number(least)) fail(`Node ${own} is too old: Node ${least} or newer is needed`)
else if (isHelp(asked) && name === '') for (const each of Object.keys(commands)) explain(each)
else if (!command)
  fail(`${name === '' ? 'Name a command' : `Unknown command ${name}`}: one of ${Object.keys(commands).join(', ')}`)
else if (
  isHelp(asked) ||
  (!command.ownHelp && process.argv.slice(2).some((word) => word.startsWith('-') && isHelp(word)))
)
  explain(name)
else if (!command.options && process.argv.length > 2)
  fail(`payments ${name} has no options, and was given ${process.argv[2]}`)
else {
  // The stack of an error names the sources.
  process.setSourceMapsEnabled(true)
  try {
    await import(new URL(`../lib/commands/${name}.mjs`, import.meta.url).href)
  } catch (error) {
    if (!error.code?.startsWith('ERR_PARSE_ARGS')) throw error
    // The first sentence: how an argument that begins with a dash is written follows.
    fail(`${error.message.split('. ')[0]}: ${usageOf(name)}`)
  }
}

function explain(of) {
  process.stdout.write(`${usageOf(of)}\n    ${commands[of].does}\n`)
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exitCode = 2
}
