/** An object as the API returns it, and the call that does. */
export function Raw({ value, call }: { value: unknown; call: string }) {
  return (
    <details className="raw">
      <summary>As the API returns it</summary>
      <p>
        <code>{call}</code>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll with keys too */}
      <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
    </details>
  )
}
