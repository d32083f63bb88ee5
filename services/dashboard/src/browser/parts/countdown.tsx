import { useEffect, useState } from 'react'

/** How long it is until a time, second by second, and nothing afterwards. Screen readers are told once, not each second. */
export function Countdown({ until, ended }: { until: string; ended?: () => void }) {
  const [left, setLeft] = useState(() => Date.parse(until) - Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      const now = Date.parse(until) - Date.now()
      setLeft(now)
      if (now <= 0) {
        clearInterval(timer)
        ended?.()
      }
    }, 1000)
    return () => clearInterval(timer)
  }, [until, ended])
  if (left <= 0) return <span>expired</span>
  const seconds = Math.ceil(left / 1000)
  const hours = Math.floor(seconds / 3600)
  const part = (value: number) => String(value).padStart(2, '0')
  const clock = `${hours > 0 ? `${hours}:` : ''}${part(Math.floor((seconds % 3600) / 60))}:${part(seconds % 60)}`
  return (
    <span className="amount" role="timer" aria-live="off">
      {clock}
    </span>
  )
}
