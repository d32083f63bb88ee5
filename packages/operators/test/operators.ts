import { type Answer, call, signedIn, type TestService } from '#testing'

/** Two operators, for settings of a test service. */
export const TWO_OPERATORS = { OPERATOR_EMAILS: 'operator@example.com,second@example.com' }

type Operator = Awaited<ReturnType<typeof signedIn>>

export const operator = (service: TestService, email = 'operator@example.com'): Promise<Operator> =>
  signedIn(service.runtime, { role: 'operator', email })

/** Calls an operators' operation: `POST search`. Commands get a reason. */
export function ops(
  service: TestService,
  { accessToken: token }: Pick<Operator, 'accessToken'>,
  line: string,
  body: object = {},
): Promise<Answer> {
  const [method, path] = line.split(' ')
  const given = method === 'POST' ? { reason: 'Asked for', ...body } : undefined
  return call(service, `${method} /v1/admin/ops/${path}`, { token, key: null, body: given })
}

/** Reads with a filter in the body, without a reason. */
export const find = async (service: TestService, { accessToken: token }: Operator, path: string, body: object = {}) => {
  const answer = await call(service, `POST /v1/admin/ops/${path}`, { token, key: null, body })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.data
}
