package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Writes the messages of one transaction of nf_tables ({@code include/uapi/linux/netfilter/nf_tables.h}, {@code
 * nfnetlink.h}). Unlike elsewhere in netlink, numbers are in network byte order. {@link NftExpressions} writes the
 * content of a rule.
 */
final class NftMessages {
    static final int SUBSYSTEM = 10;
    static final int NEWTABLE = SUBSYSTEM << 8;
    static final int NEWCHAIN = SUBSYSTEM << 8 | 3;
    static final int NEWRULE = SUBSYSTEM << 8 | 6;
    static final int NEWSET = SUBSYSTEM << 8 | 9;
    static final int NEWSETELEM = SUBSYSTEM << 8 | 12;
    private static final int BATCH_BEGIN = 0x10;
    private static final int BATCH_END = 0x11;
    private static final int DELTABLE = SUBSYSTEM << 8 | 2;
    private static final int DELCHAIN = SUBSYSTEM << 8 | 5;
    private static final int DELRULE = SUBSYSTEM << 8 | 8;
    private static final int DELSET = SUBSYSTEM << 8 | 11;
    private static final int DELSETELEM = SUBSYSTEM << 8 | 14;
    private static final int NLM_F_APPEND = 0x800;

    static final int NFGENMSG_BYTES = 4;
    static final int TABLE_NAME = 1;
    static final int TABLE_FLAGS = 2;
    static final int TABLE_USERDATA = 6;
    static final int CHAIN_TABLE = 1;
    static final int CHAIN_NAME = 3;
    static final int CHAIN_HOOK = 4;
    static final int CHAIN_POLICY = 5;
    static final int CHAIN_TYPE = 7;
    static final int CHAIN_USERDATA = 12;
    static final int POLICY_DROP = 0;
    static final int POLICY_ACCEPT = 1;
    static final int HOOK_NUMBER = 1;
    static final int HOOK_PRIORITY = 2;
    static final int RULE_TABLE = 1;
    static final int RULE_CHAIN = 2;
    static final int RULE_HANDLE = 3;
    static final int RULE_EXPRESSIONS = 4;
    static final int RULE_USERDATA = 7;
    static final int SET_TABLE = 1;
    static final int SET_NAME = 2;
    static final int SET_FLAGS = 3;
    static final int SET_KEY_TYPE = 4;
    static final int SET_KEY_LENGTH = 5;
    static final int SET_DATA_TYPE = 6;
    static final int SET_DATA_LENGTH = 7;
    static final int SET_DESCRIPTION = 9;
    static final int SET_ID = 10;
    static final int SET_TIMEOUT = 11;
    static final int SET_USERDATA = 13;
    static final int DESCRIPTION_SIZE = 1;
    static final int ELEMENTS_TABLE = 1;
    static final int ELEMENTS_SET = 2;
    static final int ELEMENTS_LIST = 3;
    static final int ELEMENTS_SET_ID = 4;
    static final int LIST_ELEMENT = 1;
    static final int ELEMENT_KEY = 1;
    static final int ELEMENT_DATA = 2;
    static final int ELEMENT_FLAGS = 3;
    static final int ELEMENT_USERDATA = 6;
    static final int DATA_VALUE = 1;
    static final int DATA_VERDICT = 2;
    static final int VERDICT_CODE = 1;
    static final int VERDICT_CHAIN = 2;

    /** The bits of each field in the number of a concatenation's type. */
    static final int TYPE_BITS = 6;

    /** The flag of a table that sees no packets ({@code NFT_TABLE_F_DORMANT}). */
    static final int FLAG_DORMANT = 1;

    static final int FLAG_ANONYMOUS = 1;
    static final int FLAG_CONSTANT = 2;
    static final int FLAG_INTERVAL = 4;
    static final int FLAG_MAP = 8;
    static final int FLAG_TIMEOUT = 0x10;
    static final int FLAG_EVALUATED = 0x20;
    private static final int BATCH_GENERATION = 1;

    /** The number of the last set of the transaction. The kernel finds an anonymous set by it. */
    private int lastSet;

    /** {@code BATCH_BEGIN}. The kernel refuses the transaction if the generation is another, if one is given. */
    static NetlinkRequest begin(OptionalInt generation) {
        NetlinkRequest request = batch(BATCH_BEGIN);
        generation.ifPresent(expected -> number(request, BATCH_GENERATION, expected));
        return request;
    }

    /** {@code BATCH_END}. Without it the kernel tries the transaction and undoes it. */
    static NetlinkRequest end() {
        return batch(BATCH_END);
    }

    private static NetlinkRequest batch(int type) {
        return NetlinkRequest.plain(type, 0).putByte(0).putByte(0).putByte(0).putByte(SUBSYSTEM);
    }

    /** The messages of a change; elements may take several. */
    List<NetlinkRequest> requests(NftChange change) {
        if (change instanceof NftChange.AddTable addition) {
            return List.of(newTable(addition));
        } else if (change instanceof NftChange.DeleteTable deletion) {
            return List.of(table(DELTABLE, 0, deletion.table()));
        } else if (change instanceof NftChange.AddChain addition) {
            return List.of(newChain(addition.chain()));
        } else if (change instanceof NftChange.DeleteChain deletion) {
            return List.of(header(DELCHAIN, 0, deletion.chain().table())
                    .attribute(CHAIN_TABLE, deletion.chain().table().name())
                    .attribute(CHAIN_NAME, deletion.chain().name()));
        } else if (change instanceof NftChange.FlushChain flush) {
            return List.of(rule(DELRULE, 0, flush.chain()));
        } else if (change instanceof NftChange.AddRule addition) {
            return newRule(addition);
        } else if (change instanceof NftChange.DeleteRule deletion) {
            return List.of(rule(DELRULE, 0, deletion.chain()).attribute(RULE_HANDLE, number(deletion.handle())));
        } else if (change instanceof NftChange.AddSet addition) {
            return newSet(addition.set());
        } else if (change instanceof NftChange.DeleteSet deletion) {
            return List.of(header(DELSET, 0, deletion.set().table())
                    .attribute(SET_TABLE, deletion.set().table().name())
                    .attribute(SET_NAME, deletion.set().name()));
        } else if (change instanceof NftChange.AddElements addition) {
            return NftElementMessages.additions(
                    () -> elements(NEWSETELEM, NetlinkRequest.CREATE, addition.set()), addition.elements());
        } else if (change instanceof NftChange.DeleteElements deletion) {
            return NftElementMessages.removals(() -> elements(DELSETELEM, 0, deletion.set()), deletion.keys());
        } else {
            return List.of(elements(DELSETELEM, 0, ((NftChange.FlushSet) change).set()));
        }
    }

    /** Without flags a table that another program has made dormant is in force again. */
    private static NetlinkRequest newTable(NftChange.AddTable addition) {
        NetlinkRequest request = number(table(NEWTABLE, NetlinkRequest.CREATE, addition.table()), TABLE_FLAGS, 0);
        NftUserData.comment(addition.comment()).ifPresent(data -> request.attribute(TABLE_USERDATA, data));
        return request;
    }

    private static NetlinkRequest newChain(NftChain chain) {
        NetlinkRequest request = header(NEWCHAIN, NetlinkRequest.CREATE, chain.table())
                .attribute(CHAIN_TABLE, chain.table().name())
                .attribute(CHAIN_NAME, chain.name());
        if (chain.hook().isPresent()) {
            NftChain.Hook hook = chain.hook().get();
            int nested = request.begin(CHAIN_HOOK | NetlinkRequest.NESTED);
            number(request, HOOK_NUMBER, hook.number());
            number(request, HOOK_PRIORITY, hook.priority());
            request.end(nested).attribute(CHAIN_TYPE, hook.type());
            number(request, CHAIN_POLICY, hook.drops() ? POLICY_DROP : POLICY_ACCEPT);
        }
        NftUserData.comment(chain.comment()).ifPresent(data -> request.attribute(CHAIN_USERDATA, data));
        return request;
    }

    /** The requests for a rule. Its anonymous sets come first. */
    private List<NetlinkRequest> newRule(NftChange.AddRule addition) {
        NftTable table = addition.chain().table();
        NetlinkRequest request = rule(NEWRULE, NetlinkRequest.CREATE | NLM_F_APPEND, addition.chain());
        List<NetlinkRequest> requests = new ArrayList<>(3);
        NftExpressions expressions =
                new NftExpressions(request, table.family(), anonymous -> addAnonymous(table, anonymous, requests));
        int nested = request.begin(RULE_EXPRESSIONS | NetlinkRequest.NESTED);
        addition.rule().statements().forEach(expressions::write);
        request.end(nested);
        NftUserData.comment(addition.rule().comment()).ifPresent(data -> request.attribute(RULE_USERDATA, data));
        requests.add(request);
        return requests;
    }

    private int addAnonymous(NftTable table, NftAnonymousSet set, List<NetlinkRequest> requests) {
        NftSet named = new NftSet(table, set.name(), set.key(), set.data(), "");
        requests.addAll(newSet(named, FLAG_ANONYMOUS, set.content()));
        return lastSet;
    }

    /** A set that has this content to its end. */
    private List<NetlinkRequest> newSet(NftSet set, int flags, NftSetContent content) {
        int id = ++lastSet;
        NetlinkRequest request = header(NEWSET, NetlinkRequest.CREATE, set.table())
                .attribute(SET_TABLE, set.table().name())
                .attribute(SET_NAME, set.name());
        int ofContent = FLAG_CONSTANT | (content.interval() ? FLAG_INTERVAL : 0) | (set.isMap() ? FLAG_MAP : 0);
        number(request, SET_FLAGS, flags | ofContent);
        types(request, set.key(), set.data());
        number(request, SET_ID, id);
        size(request, content.entries().size());
        request.attribute(SET_USERDATA, NftUserData.set(set.key(), set.data(), set.comment()));
        List<NetlinkRequest> requests = new ArrayList<>(List.of(request));
        requests.addAll(NftElementMessages.entries(() -> content(set.table(), set.name(), id), content.entries()));
        return requests;
    }

    private static NetlinkRequest content(NftTable table, String set, int id) {
        NetlinkRequest request = header(NEWSETELEM, NetlinkRequest.CREATE, table)
                .attribute(ELEMENTS_TABLE, table.name())
                .attribute(ELEMENTS_SET, set);
        return number(request, ELEMENTS_SET_ID, id);
    }

    /** The most elements of a set. The kernel chooses a faster kind of set if it knows it. */
    private static void size(NetlinkRequest request, int elements) {
        int description = request.begin(SET_DESCRIPTION | NetlinkRequest.NESTED);
        number(request, DESCRIPTION_SIZE, elements);
        request.end(description);
    }

    private List<NetlinkRequest> newSet(NftSet set) {
        if (!set.ranges().isEmpty()) {
            return newSet(set, 0, NftSetContent.ofRanges(set.ranges()));
        }
        NetlinkRequest request = header(NEWSET, NetlinkRequest.CREATE, set.table())
                .attribute(SET_TABLE, set.table().name())
                .attribute(SET_NAME, set.name());
        int flags = (set.isMap() ? FLAG_MAP : 0) | (set.isDynamic() ? FLAG_TIMEOUT | FLAG_EVALUATED : 0);
        number(request, SET_FLAGS, flags);
        types(request, set.key(), set.data());
        number(request, SET_ID, ++lastSet);
        if (set.isDynamic()) {
            request.attribute(SET_TIMEOUT, number(set.timeout().toMillis()));
            size(request, NftSet.DYNAMIC_SIZE);
        }
        return List.of(request.attribute(SET_USERDATA, NftUserData.set(set.key(), set.data(), set.comment())));
    }

    private static void types(NetlinkRequest request, List<NftDatatype> key, List<NftDatatype> data) {
        number(request, SET_KEY_TYPE, type(key));
        number(request, SET_KEY_LENGTH, length(key));
        if (!data.isEmpty()) {
            number(request, SET_DATA_TYPE, type(data));
            number(request, SET_DATA_LENGTH, length(data));
        }
    }

    /** A concatenation's type contains the types of its fields ({@code TYPE_BITS} of nftables). */
    static int type(List<NftDatatype> fields) {
        int type = 0;
        for (NftDatatype field : fields) {
            type = type << TYPE_BITS | field.number();
        }
        return type;
    }

    private static int length(List<NftDatatype> fields) {
        return fields.size() == 1
                ? fields.get(0).bytes()
                : fields.stream().mapToInt(NftDatatype::paddedBytes).sum();
    }

    /** A value or a verdict ({@code NFTA_DATA_*}). */
    static void data(NetlinkRequest request, int type, NftData data) {
        int nested = request.begin(type | NetlinkRequest.NESTED);
        if (data instanceof NftVerdict verdict) {
            int inner = request.begin(DATA_VERDICT | NetlinkRequest.NESTED);
            number(request, VERDICT_CODE, verdict.kind().code());
            if (!verdict.chain().isEmpty()) {
                request.attribute(VERDICT_CHAIN, verdict.chain());
            }
            request.end(inner);
        } else {
            request.attribute(DATA_VALUE, ((NftValue) data).bytes());
        }
        request.end(nested);
    }

    private static NetlinkRequest table(int type, int flags, NftTable table) {
        return header(type, flags, table).attribute(TABLE_NAME, table.name());
    }

    private static NetlinkRequest rule(int type, int flags, NftChain chain) {
        return header(type, flags, chain.table())
                .attribute(RULE_TABLE, chain.table().name())
                .attribute(RULE_CHAIN, chain.name());
    }

    private static NetlinkRequest elements(int type, int flags, NftSet set) {
        return header(type, flags, set.table())
                .attribute(ELEMENTS_TABLE, set.table().name())
                .attribute(ELEMENTS_SET, set.name());
    }

    /** A number of 4 bytes in network order. */
    static NetlinkRequest number(NetlinkRequest request, int type, int value) {
        return request.attribute(type, ByteBuffer.allocate(4).putInt(value).array());
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    private static NetlinkRequest header(int type, int flags, NftTable table) {
        return familyHeader(NetlinkRequest.plain(type, flags), table.family());
    }

    /** {@code struct nfgenmsg}. */
    static NetlinkRequest familyHeader(NetlinkRequest request, NftFamily family) {
        return request.putByte(family.number()).putByte(0).putShort(0);
    }
}
