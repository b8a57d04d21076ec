package dev.nodepath.endpoints.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class EffectTest {
    @Test
    void saysInASentenceWhatARuleDoes() {
        assertThat(new Effect.NewDestination(List.of("10.0.0.1:80")).sentence())
                .isEqualTo("The destination becomes 10.0.0.1:80.");
        assertThat(new Effect.NewDestination(List.of("10.0.0.1:80", "10.0.0.2:80")).sentence())
                .isEqualTo("A random number below 2 chooses the endpoint that becomes the destination.");
        assertThat(new Effect.NewSource(true).sentence())
                .isEqualTo("The packet has the mark, which is taken off. The source becomes an address of this node.");
        assertThat(new Effect.Refuses("").sentence())
                .isEqualTo("The packet is refused: its sender gets an error at once.");
        assertThat(new Effect.Refuses("default/void has no endpoints").sentence())
                .isEqualTo("The packet is refused: default/void has no endpoints.");
        assertThat(new Effect.Jumps("KUBE-FORWARD", "").sentence()).isEqualTo("The chain KUBE-FORWARD is next.");
        assertThat(new Effect.Jumps("KUBE-SVC-A", "The packet is for default/web cluster IP").sentence())
                .isEqualTo("The packet is for default/web cluster IP: the chain KUBE-SVC-A is next.");
        assertThat(new Effect.Chooses("10.0.0.1:80", 3).sentence())
                .isEqualTo("One of 3 packets that come here takes the endpoint 10.0.0.1:80.");
        assertThat(new Effect.Chooses("10.0.0.1:80", 1).sentence())
                .isEqualTo("What is left takes the endpoint 10.0.0.1:80.");
    }
}
