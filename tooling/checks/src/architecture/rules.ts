import { equalBlocks } from './rules/blocks.ts'
import { wrongChoices } from './rules/choosers.ts'
import { circles } from './rules/circles.ts'
import { sharedByFakes } from './rules/fakes.ts'
import { fullFolders } from './rules/folders.ts'
import { unlockedUpdates } from './rules/locks.ts'
import { order, ranks } from './rules/order.ts'
import { encodedPaths } from './rules/paths.ts'
import { foldersOutOfOrder } from './rules/rooms.ts'
import { foreignTables } from './rules/tables.ts'
import { domainFolders, isTest, packageOf, production, type Source, type Tree } from './tree.ts'

/** One rule of docs/decisions/architecture.md. It returns what breaks it, a line each. */
type Rule = (tree: Tree) => readonly string[]

const KERNEL_IMPORTS = /^(\.|zod$|big\.js$|bs58$|bs58check$|@solana\/addresses$|uuid$|ox\/)/
const SURROUNDINGS = ['process', 'globalThis', 'fetch', 'WebSocket', 'setTimeout', 'setInterval', 'Buffer']
const HTTP = /^(node:)?(http|https|http2)$|^(@koa\/|koa$|koa-)/
const ORM = /^@mikro-orm\//
/** Where the platform gives the ORM its connection, which is a Kysely. */
const DATABASE = 'packages/platform/src/database/'
/** Packages that run without the service, against a remote one. */
const REMOTE = /^(packages\/(agents|client)|services\/(ops|cli))\//
/** What merchants install: it runs in browsers and workers as well. */
const SDK = /^packages\/sdk\//
const TESTING = /^(vitest(\/|$)|#testing$)/
/** The fakes of the providers, which one file of the proofs makes available to them: no package exports test code. */
const FAKES = /^packages\/providers\/[^/]+\/test\//
const FAKES_OF_PROOF = 'tooling/proof/src/providers/fakes.ts'
const isFakeOfProof = (file: string, imported: string | undefined): boolean =>
  file === FAKES_OF_PROOF && FAKES.test(imported ?? '')

/** Indexes of the parts of the platform: its own index alone imports them, since through them its parts would import each other wholly. */
const PART = /^packages\/platform\/src\/\w+\/index\.ts$/

const importing = (sources: readonly Source[], pattern: RegExp): string[] =>
  sources.flatMap(({ file, imports }) =>
    imports.filter(({ specifier }) => pattern.test(specifier)).map(({ specifier }) => `${file} imports ${specifier}`),
  )

export const rules: Readonly<Record<string, Rule>> = {
  'The kernel is pure: no driver, ORM, queue, I/O or environment'(tree) {
    const kernel = production(tree).filter(({ file }) => file.startsWith('packages/kernel/'))
    return kernel.flatMap(({ file, imports, identifiers }) => [
      ...imports
        .filter(({ specifier }) => !KERNEL_IMPORTS.test(specifier))
        .map(({ specifier }) => `${file} imports ${specifier}`),
      ...SURROUNDINGS.filter((name) => identifiers.has(name)).map((name) => `${file} uses ${name}`),
    ])
  },

  'A package names its own tables only': foreignTables,

  'Two packages share no block of eight lines': equalBlocks,

  'A folder has at most ten files and folders': fullFolders,

  'The folders of a package have an order': foldersOutOfOrder,

  'A row is read under a lock before it is updated with what follows from it': unlockedUpdates,

  'No file imports itself through others'(tree) {
    const graph = new Map(
      [...tree.sources.values()].map(({ file, imports }) => [file, imports.flatMap((each) => each.file ?? [])]),
    )
    return circles(graph).map((group) => group.join(' ↔ '))
  },

  'No package depends on itself through others'(tree) {
    const graph = new Map<string, string[]>(
      tree.packages.map(({ name, manifest }) => [name, Object.keys(manifest.dependencies ?? {})]),
    )
    for (const { file, imports } of tree.sources.values()) {
      const own = isTest(file) ? undefined : packageOf(tree, file)
      if (own) graph.get(own.name)?.push(...imports.map(({ specifier }) => specifier))
    }
    return circles(graph).map((group) => group.join(' ↔ '))
  },

  'A path is decoded from the address of a file': encodedPaths,

  'Inside a domain: schemas, entities, services, routers and jobs, index': order,

  'Test code lives in tests'(tree) {
    const others = [...tree.sources.values()].filter(({ file }) => !isTest(file))
    return [
      ...importing(others, TESTING),
      ...importing(production(tree), /^@payments\/stand$/),
      ...others.flatMap(({ file, imports }) =>
        imports
          .filter((each) => each.file && isTest(each.file) && !isFakeOfProof(file, each.file))
          .map((each) => `${file} imports ${each.file}`),
      ),
    ]
  },

  'A fake shares nothing with the adapter that it checks': sharedByFakes,

  'An existing object is asked of its own provider': wrongChoices,

  'A package is used through its index'(tree) {
    return [
      ...tree.packages
        .filter(({ manifest: { exports } }) => exports && JSON.stringify(exports) !== '{".":"./src/index.ts"}')
        .map(({ folder }) => `${folder}/package.json exports more than its index`),
      ...importing([...tree.sources.values()], /^@payments\/[^/]+\//),
      ...[...tree.sources.values()].flatMap(({ file, imports }) =>
        imports
          .filter((each) => PART.test(each.file ?? '') && file !== 'packages/platform/src/index.ts')
          .map((each) => `${file} imports ${each.file}`),
      ),
      ...[...tree.sources.values()].flatMap(({ file, imports }) =>
        imports
          .filter(
            (each) =>
              each.file &&
              tree.sources.has(each.file) &&
              packageOf(tree, each.file) !== packageOf(tree, file) &&
              !isFakeOfProof(file, each.file),
          )
          .map((each) => `${file} imports ${each.file}`),
      ),
    ]
  },

  'HTTP is spoken by the gateway alone'(tree) {
    return importing(
      production(tree).filter(({ file }) => !file.startsWith('services/gateway/')),
      HTTP,
    )
  },

  'Clients take types of the service alone'(tree) {
    return production(tree)
      .filter(({ file }) => REMOTE.test(file))
      .flatMap(({ file, imports }) =>
        imports
          .filter(
            ({ specifier, typeOnly }) =>
              !typeOnly && specifier.startsWith('@payments/') && !/^@payments\/(agents|client|sdk)$/.test(specifier),
          )
          .map(({ specifier }) => `${file} imports ${specifier}`),
      )
  },

  'The SDK depends on nothing'(tree) {
    const sdk = production(tree).filter(({ file }) => SDK.test(file))
    return [
      ...importing(sdk, /^[^.]/),
      ...sdk.flatMap(({ file, identifiers }) =>
        ['process', 'Buffer'].filter((name) => identifiers.has(name)).map((name) => `${file} uses ${name}`),
      ),
    ]
  },

  'Only entities and services use the ORM'(tree) {
    const known = ranks(tree)
    const folders = domainFolders(tree)
    const allowed = ({ file }: Source) => {
      const domain = folders.some((folder) => file.startsWith(`${folder}/`))
      return file.startsWith('packages/platform/') || (domain && [1, 2].includes(known.get(file) ?? 0))
    }
    return importing(
      production(tree).filter((source) => !allowed(source)),
      ORM,
    )
  },

  'Statements are sent by the platform’s calls alone'(tree) {
    const others = [...tree.sources.values()].filter(({ file }) => !file.startsWith(DATABASE))
    return [
      ...importing(others, /^kysely(\/|$)/),
      ...others
        .filter(({ file, identifiers }) => !isTest(file) && identifiers.has('getKysely'))
        .map(({ file }) => `${file} uses getKysely`),
    ]
  },
}

/** What breaks each rule; rules that hold are left out. */
export const broken = (tree: Tree): Record<string, readonly string[]> =>
  Object.fromEntries(
    Object.entries(rules)
      .map(([name, rule]) => [name, rule(tree)] as const)
      .filter(([, lines]) => lines.length > 0),
  )
