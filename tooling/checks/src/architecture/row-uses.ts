/** A node of a syntax tree, as far as it is walked. */
interface Node {
  readonly type: string
  readonly start: number
  readonly [property: string]: unknown
}

/** What one function does with rows. Functions inside of it are parts of it. */
export interface RowUse {
  readonly name: string | undefined
  /** Variables that hold a row, or what a search found, read without a lock. */
  readonly unlocked: ReadonlySet<string>
  readonly parameters: readonly (string | undefined)[]
  /** Rows that are updated by id alone with what follows from them, and calls that are given variables. */
  readonly updates: readonly { readonly row: string; readonly line: number }[]
  readonly calls: readonly {
    readonly callee: string
    readonly given: readonly (string | undefined)[]
    readonly line: number
  }[]
}

/** Functions that read rows, by their names: `em.findOne`, `findForOperator`, `find`. */
const READS = /^find/
const LOCKS = /lockMode|PESSIMISTIC|for update/
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

function* within(node: Node): Generator<Node> {
  yield node
  for (const child of childrenOf(node)) yield* within(child)
}
const named = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Identifier' ? String(node.name) : undefined
const calleeOf = ({ callee }: Node): string | undefined =>
  named(callee) ?? (isNode(callee) && callee.type === 'MemberExpression' ? named(callee.property) : undefined)
const unwrapped = (node: unknown): Node | undefined =>
  isNode(node) && ['AwaitExpression', 'TSAsExpression', 'ParenthesizedExpression'].includes(node.type)
    ? unwrapped(node.argument ?? node.expression)
    : isNode(node)
      ? node
      : undefined
const mentions = (node: Node | undefined, name: string): boolean =>
  node !== undefined && [...within(node)].some((each) => named(each) === name)

/** The names that a pattern binds: `row`, `{ order: found }`, `[rows, total]`. */
const boundBy = (pattern: unknown): string[] =>
  isNode(pattern)
    ? pattern.type === 'Identifier'
      ? [String(pattern.name)]
      : pattern.type === 'Property'
        ? boundBy(pattern.value)
        : childrenOf(pattern).flatMap(boundBy)
    : []

/** `{ id: row.id }`: the row that is updated whatever has become of it since it was read. */
function rowOf(where: unknown): string | undefined {
  const properties = isNode(where) && where.type === 'ObjectExpression' ? (where.properties as Node[]) : []
  const value = properties.length === 1 ? properties[0]?.value : undefined
  return isNode(value) && value.type === 'MemberExpression' && named(value.property) === 'id'
    ? named(value.object)
    : undefined
}

/** What the outermost functions of a file do with rows. */
export function rowUses(program: unknown, text: string): RowUse[] {
  const uses: RowUse[] = []
  const lineOf = ({ start }: Node) => text.slice(0, start).split('\n').length
  const visit = (node: Node, name?: string): void => {
    if (FUNCTIONS.has(node.type)) return void uses.push(useOf(node, name ?? named(node.id)))
    const own =
      node.type === 'VariableDeclarator' ? named(node.id) : node.type === 'Property' ? named(node.key) : undefined
    for (const child of childrenOf(node)) visit(child, own)
  }
  const useOf = (of: Node, name: string | undefined): RowUse => {
    const unlocked = new Set<string>()
    const updates: { row: string; line: number }[] = []
    const calls: { callee: string; given: (string | undefined)[]; line: number }[] = []
    const values = new Map<string, Node>()
    for (const node of within(of)) {
      if (node.type === 'VariableDeclarator') {
        const value = unwrapped(node.init)
        const variable = named(node.id)
        if (variable && value) values.set(variable, value)
        const reads = value?.type === 'CallExpression' && READS.test(calleeOf(value) ?? '')
        if (reads && !LOCKS.test(text.slice(value.start, value.end as number)))
          for (const bound of boundBy(node.id)) unlocked.add(bound)
      }
      if (node.type !== 'CallExpression') continue
      const callee = calleeOf(node)
      const given = (node.arguments as Node[]).map((argument) => named(unwrapped(argument)))
      if (callee) calls.push({ callee, given, line: lineOf(node) })
      const row = callee === 'nativeUpdate' ? rowOf((node.arguments as Node[])[1]) : undefined
      const changes = unwrapped((node.arguments as Node[])[2])
      const written = values.get(named(changes) ?? '') ?? changes
      // When something is polled next may be decided twice: the poll comes a little later.
      const schedules = written?.type === 'CallExpression' && calleeOf(written) === 'nextPoll'
      if (row && !schedules && mentions(written, row)) updates.push({ row, line: lineOf(node) })
    }
    const parameters = ((of.params as Node[]) ?? []).map((parameter) => boundBy(parameter)[0])
    return { name, unlocked, parameters, updates, calls }
  }
  visit(program as Node)
  return uses
}
