import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CallExpression, type Expression, parseSync, type Super, Visitor } from 'oxc-parser'
import { root } from './workspace/workspace.ts'

const LEFT_OUT = new Set(['skip', 'skipIf', 'todo', 'fails'])

/** `test` or `describe` of a call such as `test.each(table)(name, run)`, with the methods in between. */
function called(callee: Expression | Super): { name: string; methods: string[] } | undefined {
  switch (callee.type) {
    case 'Identifier':
      return { name: callee.name, methods: [] }
    case 'CallExpression':
      return called(callee.callee)
    case 'MemberExpression': {
      const inner = called(callee.object)
      if (inner && callee.property.type === 'Identifier') inner.methods.push(callee.property.name)
      return inner
    }
    default:
      return undefined
  }
}

/** The title of a test or a group: what a template inserts is `…`. */
function titleOf({ arguments: [title] }: CallExpression): string | undefined {
  if (title?.type === 'Literal' && typeof title.value === 'string') return title.value
  if (title?.type === 'TemplateLiteral') return title.quasis.map(({ value }) => value.cooked).join('…')
  return undefined
}

/**
 * The names of the tests in a text, with those of the groups around them: `a payin › is paid by its reference`. Tests that do not run
 * are left out.
 */
export function testNamesIn(text: string, file = 'text.ts'): string[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const groups: string[] = []
  const names: string[] = []
  let skipped = 0
  const groupOf = (call: CallExpression) => {
    const of = called(call.callee)
    const title = titleOf(call)
    if (title === undefined || !of || !['describe', 'suite', 'test', 'it'].includes(of.name)) return undefined
    return {
      title,
      isGroup: of.name === 'describe' || of.name === 'suite',
      runs: !of.methods.some((m) => LEFT_OUT.has(m)),
    }
  }
  new Visitor({
    CallExpression(call) {
      const found = groupOf(call)
      if (!found) return
      if (found.isGroup) {
        groups.push(found.title)
        if (!found.runs) skipped++
      } else if (found.runs && skipped === 0) names.push([...groups, found.title].join(' › '))
    },
    'CallExpression:exit'(call) {
      const found = groupOf(call)
      if (!found?.isGroup) return
      groups.pop()
      if (!found.runs) skipped--
    },
  }).visit(program)
  return names
}

/** The names of the tests of a file, from the root. @throws Error when there is no such file */
export const testNames = (file: string, at: string = root): string[] =>
  testNamesIn(readFileSync(join(at, file), 'utf8'), file)
