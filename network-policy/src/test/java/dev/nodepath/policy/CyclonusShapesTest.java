package dev.nodepath.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.FakeNftTables;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.policy.BridgedPods.Host;
import dev.nodepath.policy.CyclonusShapes.Attempt;
import dev.nodepath.policy.CyclonusShapes.Shape;
import dev.nodepath.policy.CyclonusShapes.World;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.PolicyEvaluator;
import dev.nodepath.policy.object.PolicyPacket;
import dev.nodepath.policy.object.PolicySnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The evaluator and the tables of two nodes agree with {@link CyclonusShapes} about every pair of pods. */
class CyclonusShapesTest {
    private final List<Kernel> kernels = Stream.of(TestObjects.NODE, new PolicyNode("n2", "cni0", false, false, 0))
            .map(Kernel::of)
            .toList();

    /** The tables of a node. */
    record Kernel(PolicyNode node, FakeNftTables nft, PolicyTables tables) {
        static Kernel of(PolicyNode node) {
            FakeNftTables nft = new FakeNftTables();
            return new Kernel(node, nft, new PolicyTables(nft, List.of(IpFamily.values()), node, true));
        }

        NftTableState read(IpFamily family, PolicySnapshot snapshot) throws IOException {
            NftTableState state = nft.read(PolicyFrame.table(family)).orElseThrow();
            assertThat(state)
                    .isEqualTo(new PolicyRenderer(node, family).all(snapshot).state());
            return state;
        }
    }

    static List<Shape> shapes() {
        return CyclonusShapes.all();
    }

    @Test
    void areMoreThanThoseOfCyclonus() {
        assertThat(shapes().stream().map(Shape::name)).hasSizeGreaterThan(230).doesNotHaveDuplicates();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("shapes")
    void theEvaluatorAndTheTablesSayWhatTheTextsSay(Shape shape) throws Exception {
        PolicySnapshot before = World.of().objects().snapshot();
        for (Kernel kernel : kernels) {
            kernel.tables.sync(before, PolicyChanges.NONE);
        }
        for (World world : shape.worlds()) {
            PolicySnapshot snapshot = world.objects().snapshot();
            PolicyEvaluator evaluator = new PolicyEvaluator(snapshot);
            for (Kernel kernel : kernels) {
                kernel.tables.sync(snapshot, CyclonusShapes.changes(before, snapshot));
            }
            Map<IpFamily, List<NftTableState>> states = new EnumMap<>(IpFamily.class);
            for (IpFamily family : IpFamily.values()) {
                List<NftTableState> ofNodes = new ArrayList<>();
                for (Kernel kernel : kernels) {
                    ofNodes.add(kernel.read(family, snapshot));
                }
                states.put(family, ofNodes);
            }
            List<PolicyPacket> wrong = new ArrayList<>();
            for (Attempt attempt : world.attempts()) {
                boolean passes = world.passes(attempt);
                states.forEach((family, ofNodes) -> {
                    PolicyPacket packet = attempt.packet(family);
                    if (evaluator.judge(packet).passes() != passes || Walk.passes(ofNodes, packet) != passes) {
                        wrong.add(packet);
                    }
                });
            }
            assertThat(wrong).as(world.toString()).isEmpty();
            before = snapshot;
        }
    }

    /** The way of a connection's first packet through a table, as in the kernel. */
    record Walk(NftTableState table, PolicyPacket packet) {
        private static final NftVerdict CONTINUE = new NftVerdict(NftVerdict.Kind.CONTINUE, "");

        /** The first table is that of {@link Host#NODE}: packets to the node pass its hook INPUT. */
        static boolean passes(List<NftTableState> tables, PolicyPacket packet) {
            IpAddress to = packet.destination();
            boolean toNode = to.equals(Host.NODE.address(to.family()));
            for (int i = 0; i < tables.size(); i++) {
                NftTableState table = tables.get(i);
                String hook = toNode && i == 0 ? "input-" : "forward-";
                for (String chain : table.chains().keySet()) {
                    if (chain.startsWith(hook) && new Walk(table, packet).walk(chain) == NftVerdict.Kind.DROP) {
                        return false;
                    }
                }
            }
            return true;
        }

        private NftVerdict.Kind walk(String chain) {
            for (NftRule rule :
                    Objects.requireNonNull(table.chains().get(chain)).rules()) {
                NftVerdict verdict = verdict(rule);
                NftVerdict.Kind kind = switch (verdict.kind()) {
                    case JUMP, GOTO -> walk(verdict.chain());
                    default -> verdict.kind();
                };
                if (kind != NftVerdict.Kind.CONTINUE || verdict.kind() == NftVerdict.Kind.GOTO) {
                    return kind;
                }
            }
            return NftVerdict.Kind.CONTINUE;
        }

        private NftVerdict verdict(NftRule rule) {
            for (NftStatement statement : rule.statements()) {
                if (statement instanceof NftVerdict verdict) {
                    return verdict;
                } else if (statement instanceof NftStatement.VerdictOf lookup) {
                    NftElement element = elements(lookup.map()).get(key(lookup.key()));
                    return element == null
                            ? CONTINUE
                            : (NftVerdict) element.data().orElseThrow();
                } else if (!matches(statement)) {
                    return CONTINUE;
                }
            }
            return CONTINUE;
        }

        private boolean matches(NftStatement statement) {
            if (statement instanceof NftStatement.InSet lookup) {
                NftTableState.Elements set = Objects.requireNonNull(table.sets().get(lookup.set()));
                IpAddress first = address(lookup.key().get(0));
                boolean contained = set.set().ranges().isEmpty()
                        ? set.elements().containsKey(key(lookup.key()))
                        : set.set().ranges().stream().anyMatch(range -> range.contains(first));
                return contained != lookup.negated();
            } else if (statement instanceof NftStatement.AddressIn in) {
                boolean contained = in.networks().stream().anyMatch(network -> network.contains(address(in.field())));
                return contained != in.negated();
            } else if (statement instanceof NftStatement.Protocol match) {
                return packet.protocol() == match.number();
            } else if (statement instanceof NftStatement.DestinationPort match) {
                return packet.protocol() == match.protocol() && packet.port() == match.port();
            } else if (statement instanceof NftStatement.DestinationPorts match) {
                return packet.protocol() == match.protocol()
                        && packet.port() >= match.first()
                        && packet.port() <= match.last();
            }
            if (statement instanceof NftStatement.KnownConnection
                    || statement instanceof NftStatement.Untracked
                    || statement instanceof NftStatement.DestinationBroadcast) {
                return false;
            }
            if (statement instanceof NftStatement.InputInterface || statement instanceof NftStatement.Counter) {
                return true;
            }
            throw new IllegalArgumentException("no statement of policies: " + statement);
        }

        private Map<NftValue, NftElement> elements(String set) {
            return Objects.requireNonNull(table.sets().get(set)).elements();
        }

        private IpAddress address(NftField field) {
            return field == NftField.SOURCE_ADDRESS ? packet.source() : packet.destination();
        }

        private NftValue key(List<NftField> fields) {
            NftValue key = field(fields.get(0));
            for (NftField field : fields.subList(1, fields.size())) {
                key = key.and(field(field));
            }
            return key;
        }

        private NftValue field(NftField field) {
            return field == NftField.DESTINATION_PORT ? NftValue.ofPort(packet.port()) : NftValue.of(address(field));
        }
    }
}
