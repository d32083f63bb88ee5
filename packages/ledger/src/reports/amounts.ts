/** The sum of decimal texts, exactly, without trailing zeros. What was reversed is negative. */
export function addAmounts(amounts: readonly string[]): string {
  const decimals = Math.max(0, ...amounts.map((amount) => amount.split('.')[1]?.length ?? 0))
  const sum = amounts.reduce((total, amount) => {
    const [whole = '0', fraction = ''] = amount.split('.')
    return total + BigInt(whole + fraction.padEnd(decimals, '0'))
  }, 0n)
  const digits = `${sum < 0n ? -sum : sum}`.padStart(decimals + 1, '0')
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const whole = `${sum < 0n ? '-' : ''}${digits.slice(0, digits.length - decimals)}`
  return whole + (decimals > 0 && fraction ? `.${fraction}` : '')
}
