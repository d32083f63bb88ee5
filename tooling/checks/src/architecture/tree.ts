import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { type Package, packagesOf, root, sourcesOf } from '../workspace/workspace.ts'
import { choicesIn } from './choices.ts'
import { type RowUse, rowUses } from './row-uses.ts'

/** An import, a re-export, `import()` or the type `import('…').T`, of types too. */
interface Import {
  readonly specifier: string
  /** The imported file from the root, where the specifier is relative. */
  readonly file: string | undefined
  /** What it imports or exports again by name, values alone: `*` is all of it. */
  readonly names: readonly string[]
  /** It imports types alone, and is gone at run time. */
  readonly typeOnly: boolean
}

/** A string or template of a file; what a template inserts is a question mark. */
export interface Text {
  readonly value: string
  readonly line: number
  /** The method (`selectFrom`) or property (`tableName:`) that it is given to. */
  readonly givenTo: string | undefined
}

/** What the rules look at in a file. */
export interface Source {
  readonly file: string
  readonly imports: readonly Import[]
  readonly texts: readonly Text[]
  /** Every identifier, in values and types. */
  readonly identifiers: ReadonlySet<string>
  readonly rowUses: readonly RowUse[]
  /** Lines with text, trimmed, without imports. */
  readonly lines: readonly { readonly text: string; readonly line: number }[]
  /** Lines that find a provider without an object. */
  readonly choices: readonly number[]
}

export interface Tree {
  readonly packages: readonly Package[]
  readonly sources: ReadonlyMap<string, Source>
}

function parse(file: string, text: string): Source {
  const { module, program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const specifiers = new Map<string, boolean>()
  const names = new Map<string, Set<string>>()
  const specify = (specifier: string, typeOnly: boolean, name?: string) => {
    specifiers.set(specifier, typeOnly && (specifiers.get(specifier) ?? true))
    if (name && !typeOnly) names.set(specifier, (names.get(specifier) ?? new Set()).add(name))
  }
  for (const { moduleRequest, entries } of module.staticImports) {
    specify(moduleRequest.value, entries.length > 0 && entries.every(({ isType }) => isType))
    for (const { isType, importName } of entries) specify(moduleRequest.value, isType, importName.name ?? '*')
  }
  for (const { moduleRequest, isType, importName } of module.staticExports.flatMap(({ entries }) => entries))
    if (moduleRequest) specify(moduleRequest.value, isType, importName.name ?? '*')
  const texts = new Map<number, Text>()
  const identifiers = new Set<string>()
  const add = (start: number, value: string) =>
    texts.has(start) || texts.set(start, { value, line: text.slice(0, start).split('\n').length, givenTo: undefined })
  const giveTo = (to: { type: string; name?: unknown }, start: number, as = '') => {
    const given = texts.get(start)
    if (given && to.type === 'Identifier') texts.set(start, { ...given, givenTo: `${to.name}${as}` })
  }
  new Visitor({
    TSImportType: ({ source }) => void specify(source.value, true),
    ImportExpression: ({ source }) => void (source.type === 'Literal' && specify(String(source.value), false)),
    Identifier: ({ name }) => void identifiers.add(name),
    Literal: ({ value, start }) => void (typeof value === 'string' && add(start, value)),
    TemplateLiteral: ({ quasis, start }) => void add(start, quasis.map(({ value }) => value.cooked).join(' ? ')),
    'CallExpression:exit': ({ callee, arguments: [first] }) => {
      if (callee.type === 'MemberExpression' && first) giveTo(callee.property, first.start)
    },
    'Property:exit': ({ key, value }) => giveTo(key, value.start, ':'),
  }).visit(program)
  const imports = [...specifiers].map(([specifier, typeOnly]) => ({
    specifier,
    typeOnly,
    names: [...(names.get(specifier) ?? [])],
    file: specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined,
  }))
  const uses = isTest(file) ? [] : rowUses(program, text)
  const lines = linesOf(text, program.body)
  return { file, imports, texts: [...texts.values()], identifiers, rowUses: uses, lines, choices: choicesIn(text) }
}

function linesOf(
  text: string,
  body: readonly { readonly type: string; readonly start: number; readonly end: number }[],
) {
  let at = 0
  const imports = body.filter(({ type }) => type === 'ImportDeclaration')
  return text.split('\n').flatMap((line, index) => {
    const start = at
    at += line.length + 1
    const isImport = imports.some((each) => each.start <= start && start < each.end)
    return line.trim() === '' || isImport ? [] : [{ text: line.trim(), line: index + 1 }]
  })
}

/** Every source file of the workspace. */
export function readTree(at: string = root): Tree {
  const packages = packagesOf(at)
  const files = packages.flatMap(({ folder }) => sourcesOf(folder, at))
  return {
    packages,
    sources: new Map([...new Set(files)].map((file) => [file, parse(file, readFileSync(join(at, file), 'utf8'))])),
  }
}

/** A tree with some files replaced or added. */
export const withFiles = (tree: Tree, files: Readonly<Record<string, string>>): Tree => ({
  ...tree,
  sources: new Map([
    ...tree.sources,
    ...Object.entries(files).map(([file, text]) => [file, parse(file, text)] as const),
  ]),
})

/** The package that a file belongs to. */
export const packageOf = ({ packages }: Tree, file: string): Package | undefined =>
  packages.filter(({ folder }) => file.startsWith(`${folder}/`)).sort((a, b) => b.folder.length - a.folder.length)[0]

/** Code that runs in tests alone. */
export const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file) || file.includes('/test/')

/** Files of the service: no tests, no tooling. */
export const production = (tree: Tree): Source[] =>
  [...tree.sources.values()].filter(({ file }) => /^(packages|services)\//.test(file) && !isTest(file))

/** The folders of the domains, as the list of `@payments/api` has them. */
export const domainFolders = (tree: Tree): string[] =>
  (tree.sources.get('packages/api/src/domains.ts')?.imports ?? []).flatMap(
    ({ specifier }) => tree.packages.find(({ name }) => name === specifier)?.folder ?? [],
  )
