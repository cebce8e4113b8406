<?php
// WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:8080 examples/webhooks/receiver.php

/** Whether a request is signed with the secret, with a timestamp at most five minutes off. */
function isSigned(string $secret, string $id, string $timestamp, string $signatures, string $body): bool
{
    if ($id === '' || !ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')), true);
    if ($key === false || $key === '') {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    // There are two signatures for a day after a rotation.
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

// The signature covers the body as it was sent.
$body = file_get_contents('php://input');
$header = fn (string $name): string => $_SERVER['HTTP_WEBHOOK_' . $name] ?? '';
if (!isSigned(getenv('WEBHOOK_SECRET') ?: '', $header('ID'), $header('TIMESTAMP'), $header('SIGNATURE'), $body)) {
    http_response_code(401);
    exit;
}
// A message may come more than once: store $header('ID') of handled messages, and skip those.
$message = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
error_log("{$message['timestamp']} {$message['type']} {$message['data']['id']}");
http_response_code(204);
