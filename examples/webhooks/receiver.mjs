// WEBHOOK_SECRET=whsec_… PORT=8080 node examples/webhooks/receiver.mjs
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET = '', PORT = '8080' } = process.env;
const verifier = new Webhook(WEBHOOK_SECRET);
/** The messages that were handled: each comes at least once, and now and then again. Keep these where they last. */
const handled = new Set();

function handle({ type, timestamp, data }) {
  console.log(`${timestamp} ${type} ${data.id}`);
}

createServer(async (req, res) => {
  // The signature is over the bytes that were sent: read them as text, and parse nothing before.
  let body = '';
  for await (const chunk of req.setEncoding('utf8')) body += chunk;
  let message;
  try {
    message = verifier.verify(body, req.headers);
  } catch {
    res.writeHead(401).end();
    return;
  }
  const id = req.headers['webhook-id'];
  if (!handled.has(id)) {
    handle(message);
    handled.add(id);
  }
  res.writeHead(204).end();
}).listen(Number(PORT), '127.0.0.1', () => console.log('listening'));
