import { operations } from '@payments/gateway'
import { expect, test } from 'vitest'
import { wholeDocument } from '../documents/document.ts'
import { replyProblem } from './validity.ts'

const document = wholeDocument()
const reading = operations.find(
  ({ method, path }) => method === 'GET' && path === '/collections/{collectionId}',
) as (typeof operations)[number]

const problemOf = (method: string, path: string, status: number) =>
  replyProblem(
    document,
    { operation: reading, surface: 'rest', method, path, headers: [], body: undefined },
    { status, type: 'application/json', text: '{"status":"error","message":"Collection is final","data":null}' },
  )

test('a reply is judged by the operation that the request reached, not by the one it was made for', () => {
  expect(problemOf('DELETE', '/v1/collections/01a20c17', 409)).toBeUndefined()
  expect(problemOf('GET', '/v1/collections/01a20c17', 409)).toBe('status 409 is not in the document')
  expect(problemOf('PATCH', '/v1/collections/payment-policy', 418)).toBe('status 418 is not in the document')
  expect(problemOf('PUT', '/v1/collections/01a20c17', 409)).toBe('status 409 outside operations')
  expect(problemOf('PUT', '/v1/collections/01a20c17', 405)).toBeUndefined()
})
