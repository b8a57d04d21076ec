package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftDatatype;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRefusedException;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.NftTransaction;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.WholeTable;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives connections of the relay the addresses of its clients. Each client has a number, which a socket gets as its
 * priority ({@code SO_PRIORITY}). A table of its own translates the source of such connections. The sockets themselves
 * have this node's address. So a client's own packet is never taken for a packet of the relay, and connection tracking
 * gives each connection to an endpoint a unique port. The table also translates answers back. Thread-safe.
 */
public final class ClientSources implements KeptClients.Sources {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSources.class);

    private static final String NAME = "nodepath-clients";
    private static final String MAP = "clients";

    /**
     * Before the chains that masquerade ({@code NF_IP_PRI_NAT_SRC}): only the first translation of a packet counts.
     */
    private static final int PRIORITY = 95;

    /** The four bits below choose a queue of the link ({@code TC_PRIO_MAX}). They stay 0, as without a priority. */
    private static final int STEP = 1 << 4;

    /** A number is also a class name of the link's queue; above 8000:0 the kernel chooses such names itself. */
    private static final int FIRST = 0x1000_0000;

    private static final int LAST = 0x7FFF_FFF0;

    /** The most clients with a number. A further client replaces the one that was absent for the longest time. */
    private static final int CLIENTS_MAX = 4096;

    private final NftTables nft;
    private final Conntrack conntrack;
    private final IpFamily family;
    private final NftTable table;
    private final NftSet set;
    private final Map<IpAddress, Integer> numbers = new LinkedHashMap<>(16, 0.75F, true);
    private int next;
    private boolean made;

    /** The clients of a family. No client has a number before {@link #start}. */
    public ClientSources(NftTables nft, Conntrack conntrack, IpFamily family) {
        this.nft = nft;
        this.conntrack = conntrack;
        this.family = family;
        this.table = table(family);
        this.set = new NftSet(
                table,
                MAP,
                List.of(NftDatatype.CLASSID),
                List.of(NftField.SOURCE_ADDRESS.type(family)),
                "clients by the number that the relay gives them");
        // Another process that is ending uses other numbers.
        this.next = FIRST + STEP * new SplittableRandom().nextInt((LAST - FIRST) / STEP);
    }

    /**
     * Gives numbers from now on. Makes the table anew if other programs may have changed it. The first call replaces
     * the table of an earlier process.
     *
     * @throws LinuxNetException also if the kernel cannot translate by a map
     */
    public synchronized void start() throws LinuxNetException {
        // Asked at each call, because the answer is about the time since the last call.
        boolean changed = nft.mayHaveChanged(table);
        if (!made || changed) {
            made = false;
            new WholeTable(nft, table).make(content());
            made = true;
        }
    }

    /** Removes the table, whatever process made it. Established connections keep their source. */
    public synchronized void stop() throws LinuxNetException {
        made = false;
        removeTable(nft, family);
    }

    /**
     * Removes the table of a family, whichever process made it.
     *
     * @return whether there was one
     */
    public static boolean removeTable(NftTables nft, IpFamily family) throws LinuxNetException {
        return new WholeTable(nft, table(family)).remove();
    }

    private static NftTable table(IpFamily family) {
        return new NftTable(NftFamily.of(family), NAME);
    }

    /** A client's number, for the priority of a socket before its connect; 0 means the node's address. */
    @Override
    public synchronized int number(IpAddress client) {
        Integer known = numbers.get(client);
        if (!made) {
            return 0;
        }
        return known == null ? add(client) : known;
    }

    /**
     * A connection that ends without a packet, for example at a time limit, leaves its conntrack entry for minutes. A
     * later one from the same port to the same endpoint gets the entry's translation. If the kernel does not list the
     * entry, the result is false.
     */
    @Override
    public boolean showsAnother(IpAddress client, InetSocketAddress local, InetSocketAddress endpoint) {
        ConntrackFlow.Tuple sent = new ConntrackFlow.Tuple(
                IpAddress.of(local.getAddress()),
                IpAddress.of(endpoint.getAddress()),
                local.getPort(),
                endpoint.getPort(),
                0);
        try {
            return conntrack
                    .get(Protocol.TCP.number(), sent)
                    .map(flow -> flow.reply().destination())
                    .filter(seen -> !seen.equals(client) && isClient(seen))
                    .isPresent();
        } catch (LinuxNetException e) {
            return false;
        }
    }

    /** Other rules may translate to an address that is no client's; that is no fault. */
    private synchronized boolean isClient(IpAddress address) {
        return numbers.containsKey(address);
    }

    private int add(IpAddress client) {
        int number = next;
        NftTransaction transaction =
                new NftTransaction().add(new NftChange.AddElements(set, List.of(element(client, number))));
        Iterator<Integer> eldest = numbers.values().iterator();
        if (numbers.size() >= CLIENTS_MAX) {
            transaction.add(new NftChange.DeleteElements(set, List.of(NftValue.of(eldest.next()))));
        }
        try {
            nft.apply(transaction);
        } catch (LinuxNetException | NftRefusedException e) {
            // The next sync makes the table anew.
            made = false;
            LOG.atWarn()
                    .addKeyValue("family", family)
                    .addKeyValue("client", client)
                    .addKeyValue("error", e.getMessage())
                    .log("portal.client_address_not_kept");
            return 0;
        }
        if (numbers.size() >= CLIENTS_MAX) {
            eldest.remove();
        }
        // A number is reused late, because a dial may still have it.
        next = number >= LAST ? FIRST : number + STEP;
        numbers.put(client, number);
        return number;
    }

    private NftTableState content() {
        NftChain.Hook where = NftChain.Hook.of("nat", "postrouting", PRIORITY);
        NftChain chain = new NftChain(table, "postrouting", Optional.of(where));
        // A tunnel's outer packet has the priority of the inner one, but is this node's own.
        List<NftRule> rules = List.of(
                NftRule.of(new NftStatement.Protocol(Protocol.TCP.number()), new NftStatement.SourceByPriority(MAP)));
        Map<NftValue, NftElement> elements = numbers.entrySet().stream()
                .map(each -> element(each.getKey(), each.getValue()))
                .collect(Collectors.toMap(NftElement::key, element -> element));
        return new NftTableState(
                table,
                "gives connections of Nodepath's relay the addresses of clients",
                new TreeMap<>(Map.of(chain.name(), new NftTableState.Chain(chain, rules))),
                new TreeMap<>(Map.of(MAP, new NftTableState.Elements(set, elements))));
    }

    private static NftElement element(IpAddress client, int number) {
        return NftElement.of(NftValue.of(number), NftValue.of(client));
    }
}
