// WEBHOOK_SECRET=whsec_… PORT=8080 node examples/webhooks/receiver.mjs
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET = '', PORT = '8080' } = process.env;
const verifier = new Webhook(WEBHOOK_SECRET);
/** The ids of handled messages: a message may come more than once. Store them persistently. */
const handled = new Set();

function handle({ type, timestamp, data }) {
  console.log(`${timestamp} ${type} ${data.id}`);
}

createServer(async (req, res) => {
  // The signature covers the body as it was sent: read it as text, and parse it only after the verification.
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
