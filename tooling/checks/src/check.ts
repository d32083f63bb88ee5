// `npm run check -- <package> …`: lint, types and tests of these packages, without a name of those that changed.
import { execFileSync } from 'node:child_process'
import { runTasks } from './workspace/turbo.ts'
import { packagesOf, root } from './workspace/workspace.ts'

const packages = packagesOf()
const names = process.argv.slice(2)
const unknown = names.filter((name) => !find(name))
if (unknown.length > 0) stop(`Unknown package ${unknown.join(', ')}: one of ${packages.map(shortName).join(', ')}`)
const chosen = names.length > 0 ? packages.filter((each) => names.some((name) => find(name) === each)) : changed()
if (chosen.length === 0) stop('No package changed against HEAD', 0)

const status = runTasks([
  '//#check:architecture',
  'lint',
  'types',
  'test',
  ...chosen.map(({ name }) => `--filter=${name}`),
  '--concurrency=3',
  '--output-logs=new-only',
  // A failed check does not hide what the others found.
  '--continue',
])
process.exit(status)

function find(name: string) {
  return packages.find((each) => each.name === name || shortName(each) === name || each.folder === name)
}

function shortName({ name }: { name: string }): string {
  return name.replace('@payments/', '')
}

/** The packages with a file that differs from HEAD or is new. */
function changed() {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0')
  const files = [
    ...git('diff', '--name-only', '--no-renames', '-z', 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ]
  return packages.filter(({ folder }) => files.some((file) => file.startsWith(`${folder}/`)))
}

function stop(message: string, code = 2): never {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}
