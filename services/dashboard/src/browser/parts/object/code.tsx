import encodeQR from 'qr'

/** A QR code, drawn as one path. */
export function Code({ text }: { text: string }) {
  const rows = encodeQR(text, 'raw', { border: 2 })
  const path = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : []))).join('')
  return (
    <svg className="qr" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={`QR code of ${text}`}>
      <path d={path} />
    </svg>
  )
}
