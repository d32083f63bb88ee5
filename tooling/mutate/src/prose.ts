/**
 * A plugin of Stryker: leaves out what no test should hold. Texts that describe states and fields, log lines, and triggers, which only
 * shorten a wait: the task finds the work within its interval anyway.
 */
const REASON = 'A description, a log line or a trigger'

/** The part of a node of Babel's syntax tree that is read here. */
interface Node {
  readonly type: string
  readonly name?: string
  readonly callee?: Node
  readonly object?: Node
  readonly property?: Node
  readonly key?: Node
  readonly expression?: Node
  readonly body?: Node
  readonly consequent?: Node
  readonly alternate?: Node | null
  readonly arguments?: readonly Node[]
  readonly properties?: readonly Node[]
}

const isDescription = ({ type, key }: Node) => type === 'ObjectProperty' && key?.name === 'description'

/** The arguments of zod's `meta`, which the documents are derived from. */
const isMeta = (call: Node | undefined): boolean => call?.callee?.property?.name === 'meta'

const isTriggerOrLog = ({ callee, arguments: given = [] }: Node): boolean => {
  const [owner, method] = [callee?.object, callee?.property?.name]
  if (method === 'trigger' || owner?.name === 'log' || owner?.property?.name === 'log') return true
  return method === 'afterCommit' && given[0] !== undefined && isLeftOut(given[0])
}

function isLeftOut(node: Node): boolean {
  switch (node.type) {
    case 'ExpressionStatement':
      return node.expression !== undefined && isLeftOut(node.expression)
    case 'ArrowFunctionExpression':
      return node.body !== undefined && isLeftOut(node.body)
    case 'IfStatement':
      return !node.alternate && node.consequent !== undefined && isLeftOut(node.consequent)
    case 'CallExpression':
      return isTriggerOrLog(node)
    case 'ObjectExpression':
      return node.properties !== undefined && node.properties.length > 0 && node.properties.every(isDescription)
    default:
      return isDescription(node)
  }
}

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'prose',
    value: {
      shouldIgnore: ({ node, parent }: { readonly node: Node; readonly parent?: Node }) =>
        isLeftOut(node) || (node.type === 'ObjectExpression' && isMeta(parent)) ? REASON : undefined,
    },
  },
]
