import { expect, test } from 'vitest'
import { problemsOf } from './token-rules.ts'

const rule = { access: 'operator', money: false, personal: false } as const
const procedures = {
  'admin.list': rule,
  'admin.pay': { ...rule, money: true },
  'admin.end': { ...rule, personal: true },
  'mixed.list': rule,
  'mixed.pay': { ...rule, money: true },
  'customers.list': { ...rule, access: 'read' },
  'customers.end': { ...rule, access: 'read', personal: true },
} as const
const problems = (...listed: string[]) => problemsOf(listed, { procedures })

test('a token may list procedures of operators, and a branch that has one', () => {
  expect(problems('admin.list', 'admin.*', 'mixed.*')).toEqual({})
  expect(problems()).toEqual({})
})

test('what moves money, what needs a person and what is of merchants are refused, each by the name of its field', () => {
  expect(problems('admin.pay', 'admin.list', 'admin.end', 'customers.list', 'customers.*')).toEqual({
    'procedures.0': 'Moves money: that needs the session of an operator',
    'procedures.2': 'Needs the session of an operator',
    'procedures.3': 'Not a procedure of operators',
    'procedures.4': 'Not a procedure of operators',
  })
})

test('a name that no procedure has is refused, with the name', () => {
  expect(problems('admin', 'none.*')).toEqual({
    'procedures.0': 'Unknown procedure "admin"',
    'procedures.1': 'Unknown procedure "none.*"',
  })
})
