<?php
// LINKSPACE_URL=http://localhost:3000 LINKSPACE_KEY=… php examples/legacy/links.php

function v1(string $method, string $path, array $form = []): array
{
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => "Authorization: Bearer " . getenv('LINKSPACE_KEY') . "\r\nContent-Type: application/x-www-form-urlencoded",
        'content' => http_build_query($form),
        'ignore_errors' => true,
    ]]);
    return json_decode(file_get_contents(getenv('LINKSPACE_URL') . '/api/v1' . $path, false, $context), true);
}

$space = v1('POST', '/spaces', ['name' => 'Launch', 'color' => 3])['data'];
$link = v1('POST', '/links', [
    'url' => 'https://example.com/',
    'space_id' => $space['id'],
    'target_type' => 2,
    'platform' => [['key' => 'iOS', 'value' => 'https://example.com/ios'], ['key' => 'Android', 'value' => 'https://example.com/android']],
])['data'];
v1('PATCH', "/links/{$link['id']}", ['title' => 'From PHP']);
$found = v1('GET', '/links?' . http_build_query(['search' => 'from php']));
echo $found['meta']['total'], ' ', $found['data'][0]['title'], ' ', count($found['data'][0]['platform']), "\n";
echo v1('POST', '/links', ['url' => 'nonsense'])['errors']['url'][0], "\n";
v1('DELETE', "/links/{$link['id']}");
v1('DELETE', "/spaces/{$space['id']}");
