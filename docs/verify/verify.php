<?php

/**
 * Is this delivery ours, whole and fresh?
 *
 * $body is the raw request body, before any parsing: file_get_contents('php://input'). $header is X-Service-Signature;
 * $secret is the whole whsec_… text. During a rotation the header lists several signatures.
 */
function verify(string $secret, string $header, string $body, int $toleranceSeconds = 300): bool
{
    $timestamp = '';
    $signatures = [];
    foreach (explode(',', $header) as $part) {
        [$name, $value] = array_pad(explode('=', $part, 2), 2, '');
        if ($name === 't' && $timestamp === '') {
            $timestamp = $value;
        } elseif ($name === 'v1') {
            $signatures[] = $value;
        }
    }
    if (!preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > $toleranceSeconds) {
        return false;
    }
    $expected = hash_hmac('sha256', "$timestamp.$body", $secret);
    foreach ($signatures as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}
