import { Copyable } from '../parts.tsx'

/** An object as the API returns it, and the call that does, with the variable that has its credential. */
export function Raw({ value, call, token = 'API_KEY' }: { value: unknown; call: string; token?: string }) {
  const [method = 'GET', path = ''] = call.split(' ')
  const curl = `curl ${method === 'GET' ? '' : `-X ${method} `}"${location.origin}${path}" -H "Authorization: Bearer $${token}"`
  return (
    <details className="raw">
      <summary>As the API returns it</summary>
      <p className="link">
        <Copyable text={curl} label="Copy the call" />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll with keys too */}
      <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
    </details>
  )
}
