import { type ReactElement, useEffect, useState } from 'react';
import type { Client, OperationResult } from 'urql';
import { useAfterOutage, useRetry } from '../../data/away.ts';
import { Fault, toFault } from '../../data/faults.ts';
import { readNow, useRead } from '../../data/read.ts';
import { faultText } from '../../data/refusals.ts';
import { useSession } from '../../data/session.ts';
import { write } from '../../data/write.ts';
import {
  InviteMemberDocument,
  type KeyRowFragment,
  KeysDocument,
  type KeysQuery,
  MembersDocument,
  type MembersQuery,
  RemoveMemberDocument,
  type Role,
  UpdateMemberDocument,
} from '../../generated/documents.ts';
import { EmailField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { RoleField } from '../../parts/role-field.tsx';
import { settingsTexts } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { trimPasted } from '../../words/format.ts';
import { isOfUser, useWebhooksChoice } from './webhooks-choice.tsx';

export type Member = MembersQuery['members']['nodes'][number];

const t = settingsTexts.people;

interface DialogProps {
  onClose(): void;
}

type MemberDialogProps = DialogProps & { readonly member: Member };

/** The first page of members, which holds all members of most accounts. */
export const useMembers = () => useRead(MembersDocument, { after: null }, { on: ['MEMBER'] }).data?.members;

type InviteProps = DialogProps & { onLink(link: string | null): void };

export function Invite({ onClose, onLink }: InviteProps): ReactElement {
  const session = useSession();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('EDITOR');
  const typed = trimPasted(email).toLowerCase();
  const member = useMembers()?.nodes.find(({ user }) => user.email?.toLowerCase() === typed);
  const send = async () => {
    const input = { email: trimPasted(email), role };
    const { inviteMember } = await write(session, InviteMemberDocument, { input });
    if (inviteMember.__typename === 'Invitation') onLink(inviteMember.url);
    return inviteMember;
  };
  return (
    <FormDialog
      title={t.invite}
      action={t.makeLink}
      kinds={['INVITATION']}
      shown={['email', 'role']}
      onClose={onClose}
      onSubmit={send}
    >
      {(errors) => (
        <>
          <EmailField
            {...{ value: email, error: errors.email, hint: t.inviteHint }}
            warning={member && t.isMember(member.user.name, texts.roles[member.role])}
            onText={setEmail}
            autoFocus
          />
          <RoleField value={role} onValue={setRole} error={errors.role} />
        </>
      )}
    </FormDialog>
  );
}

export function ChangeRole({ member: { id, role, user }, onClose }: MemberDialogProps): ReactElement {
  const session = useSession();
  const [next, setNext] = useState(role);
  const save = async () =>
    (await write(session, UpdateMemberDocument, { id, input: { role: next } })).updateMember;
  return (
    <FormDialog
      {...{ title: t.roleOf(user.name), kinds: ['MEMBER'], shown: ['role'], onClose }}
      onSubmit={save}
    >
      {(errors) => (
        <>
          <RoleField value={next} onValue={setNext} error={errors.role} />
          <p className="hint">{t.lowered}</p>
        </>
      )}
    </FormDialog>
  );
}

/** The keys that a user made, which stop with the membership. @throws Fault */
async function readUserKeys(client: Client, userId: string): Promise<KeyRowFragment[]> {
  const keys: KeyRowFragment[] = [];
  for (let after: string | null = null; ; ) {
    const result: OperationResult<KeysQuery> = await readNow(client, KeysDocument, { after });
    if (result.error) throw toFault(result.error);
    if (!result.data) return keys;
    const { nodes, pageInfo } = result.data.apiKeys;
    keys.push(...nodes.filter(({ maker }) => maker?.id === userId));
    if (!pageInfo.hasNextPage) return keys;
    after = pageInfo.endCursor;
  }
}

export function RemoveMember({ member: { id, user }, onClose }: MemberDialogProps): ReactElement {
  const session = useSession();
  const [keys, setKeys] = useState<readonly KeyRowFragment[] | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const webhooks = useWebhooksChoice(isOfUser(user.id));
  const find = () => {
    setFault(null);
    readUserKeys(session.client, user.id).then(setKeys, setFault);
  };
  useEffect(find, [session.client, user.id]);
  useAfterOutage(() => fault && find());
  useRetry(fault, find);
  const remove = async () => {
    if (keys === null || !webhooks.isKnown) throw fault ?? new Fault('refused', t.keysUnknown);
    const { disables: disableWebhooks } = webhooks;
    return (await write(session, RemoveMemberDocument, { id, disableWebhooks })).removeMember;
  };
  const isOwn = user.id === session.viewer.user?.id;
  return (
    <FormDialog
      title={isOwn ? t.leaveTitle(session.viewer.account.name) : t.removeTitle(user.name)}
      action={isOwn ? t.leave : t.remove}
      kinds={['MEMBER', 'API_KEY', 'INVITATION', 'WEBHOOK']}
      onClose={onClose}
      onSubmit={remove}
      danger
    >
      {() => (
        <>
          <p>{isOwn ? t.leaveWarning : t.removeWarning}</p>
          <div role="status">
            {fault && <p className="error">{faultText(fault)}</p>}
            {keys?.length === 0 && <p>{t.noKeysStop}</p>}
            {keys && keys.length > 0 && (
              <>
                <p>{t.keysStop(keys.length)}</p>
                <ul className="stopping">
                  {keys.map((key) => (
                    <li key={key.id}>
                      <b>
                        <bdi>{key.name}</bdi>
                      </b>{' '}
                      <code>{key.prefix}…</code>
                    </li>
                  ))}
                </ul>
              </>
            )}
            {webhooks.field}
          </div>
        </>
      )}
    </FormDialog>
  );
}
