import { type ReactElement, useState } from 'react';
import { useMethods } from '../../app/sign-in.tsx';
import { Button } from '../../controls/button.tsx';
import { Menu } from '../../controls/menu.tsx';
import { useSession } from '../../data/session.ts';
import { write } from '../../data/write.ts';
import {
  InvitationsDocument,
  type InvitationsQuery,
  MembersDocument,
  RevokeInvitationDocument,
} from '../../generated/documents.ts';
import { Confirm } from '../../parts/form-dialog.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { RecordsHead } from '../../parts/records.tsx';
import { isAtLeast } from '../../parts/role-field.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { settingsTexts } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { ago, onDay } from '../../words/format.ts';
import { ChangeRole, Invite, type Member, RemoveMember, useMembers } from './people-dialogs.tsx';

type Invitation = InvitationsQuery['invitations']['nodes'][number];

const t = settingsTexts.people;

type Asked =
  | { readonly for: 'invite' }
  | { readonly for: 'role' | 'remove'; readonly member: Member }
  | { readonly for: 'revoke'; readonly invitation: Invitation };

/** The members of the account, and its invitations. */
export function PeopleView(): ReactElement {
  const session = useSession();
  // The quick search and the first steps lead to the form.
  const [asked, setAsked] = useState<Asked | null>(history.state?.isNew ? { for: 'invite' } : null);
  const [link, setLink] = useState<string | null>(null);
  const { viewer, may } = session;
  const methods = useMethods();
  const close = () => setAsked(null);
  return (
    <>
      <RecordsHead
        title={texts.places.people}
        lead={t.lead(viewer.account.name)}
        create={may('PEOPLE') ? t.invite : undefined}
        onCreate={() => setAsked({ for: 'invite' })}
      />
      <Members onAsk={setAsked} />
      <h2>{t.invited}</h2>
      <Invitations onAsk={setAsked} />
      {asked?.for === 'invite' && <Invite onClose={close} onLink={setLink} />}
      {asked?.for === 'role' && <ChangeRole member={asked.member} onClose={close} />}
      {asked?.for === 'remove' && <RemoveMember member={asked.member} onClose={close} />}
      {asked?.for === 'revoke' && (
        <Confirm
          title={t.revokeTitle(asked.invitation.email)}
          action={t.revoke}
          onClose={close}
          kinds={['INVITATION']}
          onSubmit={async () => {
            const { id } = asked.invitation;
            return (await write(session, RevokeInvitationDocument, { id })).revokeInvitation;
          }}
        >
          {t.revokeWarning}
        </Confirm>
      )}
      {link !== null && (
        <SecretDialog
          {...{ title: t.link, warning: methods?.mail ? t.linkMailed : t.linkWarning, secret: link }}
          onClose={() => setLink(null)}
        />
      )}
    </>
  );
}

function Members({ onAsk }: { onAsk: (asked: Asked) => void }): ReactElement {
  const { viewer, may } = useSession();
  const members = useMembers();
  const owners = members?.nodes.filter(({ role }) => role === 'OWNER').length;
  const memberActions = (member: Member) => {
    // The last owner stays owner.
    if (member.role === 'OWNER' && owners === 1 && !members?.pageInfo.hasNextPage) return [];
    const isOwn = member.user.id === viewer.user?.id;
    const mayChange = may('PEOPLE') && isAtLeast(viewer.role, member.role);
    const change = { name: t.changeRole, run: () => onAsk({ for: 'role', member }) };
    const name = isOwn ? t.leave : t.remove;
    const remove = { name, danger: true, run: () => onAsk({ for: 'remove', member }) };
    return [...(mayChange ? [change] : []), ...(mayChange || isOwn ? [remove] : [])];
  };
  return (
    <RecordList document={MembersDocument} on={['MEMBER']} pageOf={({ members }) => members}>
      {(member) => {
        const { id, user, role, createdAt } = member;
        const items = memberActions(member);
        return (
          <li key={id} className="record">
            <div className="parts flow">
              <div className="stacked">
                <b className="name">
                  <bdi>{user.name}</bdi>
                </b>
                <span className="quiet cut" title={user.email ?? undefined}>
                  <bdi>{user.email}</bdi>
                </span>
              </div>
              {user.id === viewer.user?.id && <span className="badge ok">{t.you}</span>}
              <span className="badge">{texts.roles[role]}</span>
              <span className="quiet">{t.since(onDay(createdAt))}</span>
            </div>
            {items.length > 0 && <Menu label={texts.links.actionsOf(user.name)} items={items} />}
          </li>
        );
      }}
    </RecordList>
  );
}

function Invitations({ onAsk }: { onAsk: (asked: Asked) => void }): ReactElement {
  const { viewer, may } = useSession();
  return (
    <RecordList
      document={InvitationsDocument}
      on={['INVITATION', 'MEMBER']}
      pageOf={({ invitations }) => invitations}
      none={<p className="quiet">{t.noneInvited}</p>}
    >
      {(invitation) => {
        const { id, email, role, expiresAt } = invitation;
        return (
          <li key={id} className="record">
            <div className="parts flow">
              <b className="grow name" title={email}>
                <bdi>{email}</bdi>
              </b>
              <span className="badge">{texts.roles[role]}</span>
              <span className="quiet">{t.ends(ago(expiresAt), Date.parse(expiresAt) <= Date.now())}</span>
            </div>
            {may('PEOPLE') && isAtLeast(viewer.role, role) && (
              <Button
                look="text danger"
                text={t.revoke}
                onClick={() => onAsk({ for: 'revoke', invitation })}
              />
            )}
          </li>
        );
      }}
    </RecordList>
  );
}
