import { expect, test } from 'vitest'
import { testNames, testNamesIn } from './test-names.ts'

test('the tests of a file are found by their names, with their groups, in whichever way they are written', () => {
  const text = `
    test('one', () => {})
    test.each([1, 2])('two %s', () => {})
    test.for(table)<number>('three', { timeout: 1 }, () => {})
    test(\`to \${line} have one effect\`, () => {})
    describe('a group', () => {
      it("four", async () => { helper('five') })
      describe.each(kinds)('of %s', () => { test.concurrent('six', () => {}) })
    })
    test('seven')`
  expect(testNamesIn(text)).toEqual([
    ...['one', 'two %s', 'three', 'to … have one effect', 'a group › four', 'a group › of %s › six', 'seven'],
  ])
})

test('a test that does not run is none', () => {
  const text = `
    test.skip('one', () => {})
    test.todo('two')
    test.skipIf(slow)('three', () => {})
    describe.skip('a group', () => { test('four', () => {}) })
    test.fails('five', () => {})
    // test('six', () => {})`
  expect(testNamesIn(text)).toEqual([])
})

test('the names of this file are among them', () => {
  expect(testNames('tooling/checks/src/test-names.test.ts')).toContain('a test that does not run is none')
})
